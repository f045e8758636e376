/** The settings that kinds with the tenant's own code share. */
import { Either } from "effect"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { syntaxError } from "./CodeSyntax.ts"
import { urlTexts } from "./UrlTexts.ts"

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
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs
  })
}

const urls = /https?:\/\/[^\s"'`<>\\]+/g

/** The addresses in code, in all spellings. */
export const codeTexts = (code: string): ReadonlyArray<string> => (code.match(urls) ?? []).flatMap(urlTexts)
