// What eslint asks of the page of --html, whose scripts the Makefile has joined to one function.
const globals = Object.fromEntries(
	[
		"addEventListener", "atob", "Blob", "console", "DecompressionStream", "devicePixelRatio", "document", "getComputedStyle",
		"history", "location", "matchMedia", "performance", "requestAnimationFrame", "cancelAnimationFrame",
		"ResizeObserver", "Response", "setTimeout", "clearTimeout", "TextDecoder", "URL", "URLSearchParams",
		"innerWidth", "innerHeight", "print", "Image", "XMLSerializer",
	].map((name) => [name, "readonly"]),
);

const mistakes = [
	"constructor-super", "for-direction", "getter-return", "no-async-promise-executor", "no-class-assign",
	"no-compare-neg-zero", "no-cond-assign", "no-const-assign", "no-constant-condition", "no-debugger",
	"no-dupe-args", "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys", "no-duplicate-case", "no-empty",
	"no-empty-pattern", "no-ex-assign", "no-fallthrough", "no-func-assign", "no-global-assign",
	"no-import-assign", "no-inner-declarations", "no-invalid-regexp", "no-loss-of-precision",
	"no-misleading-character-class", "no-new-func", "no-prototype-builtins", "no-redeclare", "no-self-assign",
	"no-self-compare", "no-setter-return", "no-sparse-arrays", "no-this-before-super", "no-undef",
	"no-unreachable", "no-unsafe-finally", "no-unsafe-negation", "no-unsafe-optional-chaining",
	"no-useless-catch", "no-useless-escape", "use-isnan", "valid-typeof",
];

module.exports = [
	{
		languageOptions: { ecmaVersion: 2022, sourceType: "script", globals },
		rules: {
			...Object.fromEntries(mistakes.map((name) => [name, "error"])),
			"no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
			"no-implied-eval": "error",
			"no-eval": "error",
			"prefer-const": "error",
			"no-var": "error",
			eqeqeq: "error",
			"max-lines-per-function": ["error", { max: 60, IIFEs: false }],
			// Names of a profile become text, and never markup.
			"no-restricted-properties": [
				"error",
				...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln", "setHTMLUnsafe"].map((property) => ({ property })),
			],
		},
	},
];
