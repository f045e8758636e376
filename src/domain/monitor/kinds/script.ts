/** The domain rules of script monitors. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { codeTexts, settleCode } from "../settings/CodeSettings.ts"
import { settleTls } from "../settings/TlsSettings.ts"

const example = "const r = await http.get(\"https://example.com\"); assert(r.status === 200)"

export const script: MonitorKindSpec<"script"> = {
  sealedFields: ["clientKey"],
  settle: (input, base) =>
    Either.gen(function*() {
      return {
        kind: "script",
        ...yield* settleCode(input, base, "script", example),
        ...yield* settleTls(input, base)
      }
    }),
  // Code can hold credentials anywhere, so only those who may edit it read it.
  masked: (target) => ({ ...target, code: mask }),
  confidentialTexts: ({ code }) => codeTexts(code),
  runsCode: true
}
