/** The domain rules of script monitors. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { ScriptTarget } from "../../../../schema/monitor/kinds/script.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { urlTexts } from "../UrlTexts.ts"

const settle = (input: MonitorUpdate, base: ScriptTarget | null): Either.Either<ScriptTarget, Refusal> => {
  const code = input.code ?? base?.code
  if (code === undefined || code.trim() === "") {
    return Either.left({
      path: "code",
      message: "code is required for script monitors",
      hint: "For example: const r = await http.get(\"https://example.com\"); assert(r.status === 200)"
    })
  }
  return Either.right({
    kind: "script",
    code,
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs
  })
}

const urls = /https?:\/\/[^\s"'`<>\\]+/g

export const script: MonitorKindSpec<"script"> = {
  sealedFields: [],
  inferredFrom: [],
  settle,
  // Code can hold credentials anywhere, so only those who may edit it read it.
  masked: (target) => ({ ...target, code: mask }),
  confidentialTexts: ({ code }) => (code.match(urls) ?? []).flatMap(urlTexts),
  runsCode: true
}
