/* SPDX-License-Identifier: MIT */
/*
 * page.c - writes a profile as one HTML page.
 *
 * In: struct tree, texts. Out: HTML.
 *
 * Whatever comes from the profile stands in the page as base64, of which no byte means anything to HTML, or with
 * its special characters replaced. The policy allows no source but the page's own script and style, which it
 * knows by their hashes, and no request.
 */
#include "page/page.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "page/page_parts.h"

#define LEVEL	   9   /* of compression */
#define LINE_BYTES 96u /* of base64, for those who look at the page's text */

static void write_base64(struct out *o, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;
		char four[4];

		three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < n ? bytes[i + 2] : 0;
		for (int k = 0; k < 4; k++)
			four[k] = digits[three >> (18 - 6 * k) & 63];
		four[2] = i + 1 < n ? four[2] : '=';
		four[3] = i + 2 < n ? four[3] : '=';
		if (i && i % LINE_BYTES == 0)
			out_text(o, "\n");
		out_bytes(o, four, sizeof(four));
	}
}

/* Control characters, of which HTML allows none, become question marks. */
static void write_text(struct out *o, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length(text + i, n - i);
		bool is_space = text[i] == '\n' || text[i] == '\t';

		if (!length || (!is_space && utf8_control_length(text + i, n - i)))
			out_text(o, "?");
		else if (text[i] == '&')
			out_text(o, "&amp;");
		else if (text[i] == '<')
			out_text(o, "&lt;");
		else if (text[i] == '>')
			out_text(o, "&gt;");
		else
			out_bytes(o, text + i, length);
		i += length ? length : 1;
	}
}

static void write_head(struct out *o, const char *title)
{
	out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "base-uri 'none'; form-action 'none'; script-src '");
	out_text(o, page_parts_script_hash);
	out_text(o, "'; style-src '");
	out_text(o, page_parts_style_hash);
	out_text(
		o,
		"'\">\n<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n<meta name=\"generator\" content=\"cpconv " CPS_PROJECT_VERSION
		"\">\n<title>");
	write_text(o, title);
	out_text(o, "</title>\n<style>");
	out_text(o, page_parts_style);
	out_text(o, "</style>\n</head>\n<body>\n");
}

static void write_body(struct out *o, const struct page_texts *texts, const unsigned char *data,
		       size_t n)
{
	out_text(o, page_parts_body);
	out_text(o, "<noscript>\n<p>This page draws with JavaScript, which is switched off. "
		    "What follows is a part of what it shows.</p>\n<pre>");
	write_text(o, texts->plain);
	write_text(o, texts->facts);
	out_text(o,
		 "</pre>\n</noscript>\n<script type=\"application/octet-stream\" id=\"data\">\n");
	write_base64(o, data, n);
	out_text(o, "\n</script>\n<script>");
	out_text(o, page_parts_script);
	out_text(o, "</script>\n</body>\n</html>\n");
}

/* In the format of zlib, which browsers call "deflate". The caller frees it. */
static unsigned char *compress(const struct protobuf *data, size_t *n)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most = c ? libdeflate_zlib_compress_bound(c, data->n) : 0;
	unsigned char *bytes = c ? malloc(most) : NULL;

	*n = bytes ? libdeflate_zlib_compress(c, data->bytes, data->n, bytes, most) : 0;
	if (c)
		libdeflate_free_compressor(c);
	return bytes;
}

int page_write(const struct view_input *in, const struct page_base *base,
	       const struct page_texts *texts, struct out *o, struct error *err)
{
	struct protobuf data = {0};
	unsigned char *bytes = NULL;
	size_t n = 0;

	page_data(&data, in, base, texts);
	if (!data.is_out_of_memory)
		bytes = compress(&data, &n);
	protobuf_free(&data);
	if (!n) {
		free(bytes);
		return error_memory(err);
	}
	write_head(o, texts->title);
	write_body(o, texts, bytes, n);
	free(bytes);
	return 0;
}
