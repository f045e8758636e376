/** The lint rule that limits the length of functions. */
import { RuleTester } from "eslint"
import tseslint from "typescript-eslint"
import { describe, it } from "vitest"
import { functionLength } from "../../infra/eslint/functionLength.mjs"

RuleTester.describe = describe
RuleTester.it = it

const lines = (count: number) => Array.from({ length: count }, (_, index) => `  use(${index})\n`).join("")

/** A service whose constructor has two functions with several lines each. */
const service = (each: number) => `
class Pages extends Effect.Service<Pages>()("Pages", {
  effect: Effect.gen(function*() {
    const load = () => {
${lines(each)}    }
    const save = () => {
${lines(each)}    }
    return { load, save }
  }).pipe(Effect.orDie)
}) {}`

const tester = new RuleTester({ languageOptions: { parser: tseslint.parser } })

const long = (name: string, count: number) => ({ messageId: "long", data: { name, lines: count, max: 10 } })

tester.run("function-length", functionLength, {
  valid: [
    { name: "a function of just the length", code: `const f = () => {\n${lines(8)}}`, options: [{ max: 10 }] },
    {
      name: "blank lines and comments do not count",
      code: `function f() {\n${lines(8)}\n\n// why\n/*\n * more\n */\n}`,
      options: [{ max: 10 }]
    },
    { name: "the constructor of a service does not count", code: service(8), options: [{ max: 10 }] },
    {
      name: "nor does a function that makes an object of functions",
      code: `const makePages = () => {\nconst load = () => {\n${lines(8)}}\nconst save = () => {\n${
        lines(8)
      }}\nreturn { load, save }\n}`,
      options: [{ max: 10 }]
    }
  ],
  invalid: [
    {
      name: "a longer function",
      code: `const f = () => {\n${lines(9)}}`,
      options: [{ max: 10 }],
      errors: [long("f", 11)]
    },
    {
      name: "the functions inside the constructor of a service",
      code: service(9),
      options: [{ max: 10 }],
      errors: [long("load", 11), long("save", 11)]
    },
    {
      name: "a function that makes an object and does more than declare",
      code: `const makePages = () => {\nconst load = 1\n${lines(9)}return { load }\n}`,
      options: [{ max: 10 }],
      errors: [long("makePages", 13)]
    },
    {
      name: "a generator that constructs no service",
      code: `const make = Effect.gen(function*() {\n${lines(9)}})`,
      options: [{ max: 10 }],
      errors: [long("This function", 11)]
    },
    {
      name: "a generator of that name in another object",
      code: `f({ effect: Effect.gen(function*() {\n${lines(9)}}) })`,
      options: [{ max: 10 }],
      errors: [long("This function", 11)]
    }
  ]
})
