/** The domain rules of script monitors. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { codeTexts, settleCode } from "../settings/CodeSettings.ts"

const example = "const r = await http.get(\"https://example.com\"); assert(r.status === 200)"

export const script: MonitorKindSpec<"script"> = {
  settle: (input, base) => Either.map(settleCode(input, base, "script", example), (code) => ({ kind: "script", ...code })),
  // Code can hold credentials anywhere, so only those who may edit it read it.
  masked: (target) => ({ ...target, code: mask }),
  confidentialTexts: ({ code }) => codeTexts(code),
  runsCode: true
}
