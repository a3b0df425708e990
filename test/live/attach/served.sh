#!/bin/sh
# SPDX-License-Identifier: MIT
# Servers that are attached to again and again under load give right answers, all of them: a worker of nginx, redis, node, a JVM. Each answer
# is compared, and none is missing. Afterwards the server has the descriptors that listen and the threads that it had.
#
# Seen to fail: a worker of nginx ended by signal 32 in one of twenty first cycles, when a tick that came while the recorder began was
# sent on as if a process had sent it.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach
mkdir files
for n in 0 1 2 3 4 5 6 7 8 9; do
	awk -v n=$n 'BEGIN { for (i = 0; i < 5000; i++) print n }' >files/$n
done

# serves NAME [--redis] ADDRESS: attach to $pid while clients ask
serves() {
	: >asked
	name=$1
	shift
	python3 -B "$root/test/live/attach/asks.py" "$@" >asked 2>&1 &
	asker=$!
	pids="$pids $asker"
	await grep -q ready asked || fail "$name: no answers: $(cat asked)"
	i=0 met=0
	while [ $i -lt "$cycles" ]; do
		i=$((i + 1))
		if attach "$pid" 0.2 x.cps; then
			met=$((met + 1))
		else
			grep -q 'no thread came to a place where it can be interrupted' attach.err || fail "$name: $(cat attach.err)"
		fi
		kill -0 "$pid" || fail "$name: it has ended in cycle $i: $(cat attach.err nginx.log)"
		"$attacher" --library "$LIBRARY" --directory "$PWD" --outside --duration 0.05 "$pid" 2>outside.err ||
			grep -q 'may not be watched\|no perf events' outside.err || fail "$name: outside: $(cat outside.err nginx.log 2>/dev/null)"
	done
	kill -TERM $asker
	wait $asker || fail "$name: $(cat asked)"
	grep -q '^[1-9][0-9]* answers, 0 wrong$' asked || fail "$name: $(cat asked)"
	[ $met -gt 0 ] || fail "$name: was never attached to: $(cat attach.err)"
	note "$name: attached to $met times of $i; $(tail -n 1 asked)"
	rm -f ./*.cps
}

if command -v nginx >/dev/null; then
	cat >nginx.conf <<-END
		$([ "$(id -u)" -ne 0 ] || echo 'user root;')
		pid $PWD/nginx.pid;
		error_log $PWD/nginx.log;
		worker_processes 1;
		daemon off;
		events { }
		http {
			access_log off;
			client_body_temp_path $PWD/1; proxy_temp_path $PWD/2; fastcgi_temp_path $PWD/3; uwsgi_temp_path $PWD/4; scgi_temp_path $PWD/5;
			server { listen unix:$PWD/nginx.sock; root $PWD/files; }
		}
	END
	nginx -e "$PWD/nginx.log" -c "$PWD/nginx.conf" -p "$PWD" >nginx.out 2>&1 &
	master=$!
	pids="$pids $master"
	await test -S nginx.sock || fail "nginx: $(cat nginx.out nginx.log)"
	has_worker() { pid=$(cat "/proc/$master/task/$master/children") && pid=${pid% } && [ -n "$pid" ]; }
	await has_worker
	serves nginx "$PWD/nginx.sock"
	kill -TERM $master
	wait $master || fail "nginx: ended with $?: $(cat nginx.log)"
fi

if command -v redis-server >/dev/null; then
	redis-server --port 0 --unixsocket "$PWD/redis.sock" --io-threads 2 --save '' --dir "$PWD" >redis.out 2>&1 &
	pid=$!
	pids="$pids $pid"
	await test -S redis.sock || fail "redis: $(cat redis.out)"
	serves redis --redis "$PWD/redis.sock"
	stop redis
	[ $status -eq 0 ] || fail "redis: ended with $status: $(cat redis.out)"
fi

if command -v node >/dev/null; then
	cat >serve.js <<-'END'
		const lines = (n) => Array(5000).fill(n + '\n').join('');
		const server = require('http').createServer((q, a) => a.end(lines(q.url.slice(1))));
		server.listen(process.argv[2], () => console.log('ready'));
		process.on('SIGTERM', () => process.exit(3));
	END
	start node.out node serve.js "$PWD/node.sock"
	serves node "$PWD/node.sock"
	stop node
	[ $status -eq 3 ] || fail "node: ended with $status"
fi

if command -v javac >/dev/null; then
	cat >Serve.java <<-'END'
		import com.sun.net.httpserver.HttpServer;
		import java.net.InetAddress;
		import java.net.InetSocketAddress;
		import java.util.concurrent.Executors;

		public class Serve {
			public static void main(String[] unused) throws Exception {
				HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
				server.setExecutor(Executors.newFixedThreadPool(4));
				server.createContext("/", exchange -> {
					byte[] body = (exchange.getRequestURI().getPath().substring(1) + "\n").repeat(5000).getBytes();
					exchange.sendResponseHeaders(200, body.length);
					exchange.getResponseBody().write(body);
					exchange.close();
				});
				server.start();
				System.out.println("ready " + server.getAddress().getPort());
			}
		}
	END
	javac Serve.java || fail "Serve.java"
	start java.out java -Xmx128m -cp . Serve
	serves java "$(sed -n 's/^ready //p' java.out)"
	stop java
	[ $status -eq 143 ] || fail "java: ended with $status"
fi
