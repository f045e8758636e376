/** The settings that kinds with the tenant's own code share. */
import { Either } from "effect"
import { Script } from "node:vm"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { orBefore } from "../MonitorKindSpec.ts"
import { urlTexts } from "./UrlSettings.ts"

const name = "script.js"

const lineOf = ({ stack }: Error): number => Number(new RegExp(`^${name}:(\\d+)`).exec(stack ?? "")?.[1] ?? 1)

const problemOf = (error: unknown, code: string): string => {
  if (!(error instanceof SyntaxError)) return "it is nested too deeply"
  const line = lineOf(error)
  return line > code.split("\n").length ? "it ends within a block, a call or a text" : `line ${line}: ${error.message}`
}

/** Why code is no JavaScript, with the line; null if it can be parsed. It may use `await` and `return`, as it can where it runs. */
const syntaxError = (code: string): string | null =>
  Either.match(
    Either.try({
      // On the first line, as in `src/probe/script/Sandbox.ts`, so that line numbers are those of the code.
      try: () => new Script(`(async () => {${code}\n})`, { filename: name }),
      catch: (error) => problemOf(error, code)
    }),
    { onLeft: (problem) => problem, onRight: () => null }
  )

interface CodeSettings {
  readonly code: string
  readonly degradedAfterMs: number | null
}

export const settleCode = (
  input: MonitorUpdate,
  base: CodeSettings | null,
  kind: "script" | "browser",
  example: string
): Either.Either<CodeSettings, Refusal> => {
  const given = input.code ?? null
  const code = given ?? base?.code
  if (code === undefined || code.trim() === "") {
    return Either.left({ path: "code", message: `code is required for ${kind} monitors`, hint: `For example: ${example}` })
  }
  // Stored code was checked when it was given.
  const problem = given === null ? null : syntaxError(given)
  if (problem !== null) {
    return Either.left({ path: "code", message: `code is not valid JavaScript: ${problem}`, hint: `For example: ${example}` })
  }
  return Either.right({
    code,
    degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs)
  })
}

const urls = /https?:\/\/[^\s"'`<>\\]+/g

/** The addresses in code, in all spellings. */
export const codeTexts = (code: string): ReadonlyArray<string> => (code.match(urls) ?? []).flatMap(urlTexts)
