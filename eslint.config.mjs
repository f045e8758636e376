// The rules of voice that a machine can hold; CONTRIBUTING.md says why.
import regexp from "eslint-plugin-regexp"
import tseslint from "typescript-eslint"
import { functionLength } from "./infra/eslint/functionLength.mjs"

const clock = "Take the time from Effect's Clock or DateTime, so that TestClock can drive it."
const product = [
  { selector: "TryStatement", message: "Use Effect.try or Effect.tryPromise: failures belong in the type." },
  { selector: "TSAsExpression:not([typeAnnotation.typeName.name='const'])", message: "No casts outside a named helper." },
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: clock },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: clock },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: "Use Effect's Random or crypto."
  },
  { selector: "CallExpression[callee.name=/^set(Timeout|Interval)$/]", message: "Use Effect.sleep or Effect.schedule." },
  {
    selector: "MemberExpression[object.name='URL'][property.name='canParse']",
    message: "Use parsedUrl: up to Node 22, this answers wrong for letters beyond ASCII once the call is hot."
  },
  {
    selector:
      "CallExpression[callee.object.name='Effect'][callee.property.name=/^log[A-Z]/] > .arguments:not(:first-child):not(CallExpression):not([name='cause'])",
    message: "Log a text, and a Cause beside it: other values become part of the message, with what they hold."
  },
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: "Only src/main.ts reads the environment." }
]

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "data/**", ".local/**"] },
  {
    files: ["**/*.{ts,tsx}"],
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "@typescript-eslint": tseslint.plugin },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "no-console": "error",
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error"
    }
  },
  {
    files: ["{schema,src,cluster}/**/*.{ts,tsx}"],
    plugins: { belltower: { rules: { "function-length": functionLength } }, regexp },
    rules: {
      "no-restricted-syntax": ["error", ...product],
      "belltower/function-length": ["error", { max: 60 }],
      "max-lines": ["error", { max: 300 }],
      // No pattern may take more than linear time, whatever a caller sends.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }]
    }
  },
  {
    // Code of the browser, which has no Effect: its clock, timers and exceptions are the browser's.
    files: ["src/dashboard/islands/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...product.filter((rule) => rule.selector.startsWith("TSAs") || rule.selector.includes("env"))
      ]
    }
  },
  {
    files: ["src/main.ts"],
    rules: { "no-restricted-syntax": ["error", ...product.filter((rule) => !rule.selector.includes("process"))] }
  },
  { files: ["test/**/*.ts"], rules: { "no-console": "off", "@typescript-eslint/no-non-null-assertion": "off" } }
)
