/** Whether a tenant's code can be parsed. Nothing of it runs. */
import { Either } from "effect"
import { Script } from "node:vm"

const name = "script.js"

const lineOf = ({ stack }: Error): number => Number(new RegExp(`^${name}:(\\d+)`).exec(stack ?? "")?.[1] ?? 1)

const problemOf = (error: unknown, code: string): string => {
  if (!(error instanceof SyntaxError)) return "it is nested too deeply"
  const line = lineOf(error)
  return line > code.split("\n").length ? "it ends within a block, a call or a text" : `line ${line}: ${error.message}`
}

/** Why code is no JavaScript, with the line; null if it can be parsed. It may use `await` and `return`, as it can where it runs. */
export const syntaxError = (code: string): string | null =>
  Either.match(
    Either.try({
      // On the first line, as in `src/probe/script/Sandbox.ts`, so that line numbers are those of the code.
      try: () => new Script(`(async () => {${code}\n})`, { filename: name }),
      catch: (error) => problemOf(error, code)
    }),
    { onLeft: (problem) => problem, onRight: () => null }
  )
