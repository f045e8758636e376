/** The domain rules of browser monitors. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { codeTexts, settleCode } from "../settings/CodeSettings.ts"
import { settleTls } from "../settings/TlsSettings.ts"

const example = "await page.goto(\"https://example.com\"); await page.click(\"text=Sign in\")"

/** A usual laptop. */
const defaultViewport = { width: 1280, height: 720 }

export const browser: MonitorKindSpec<"browser"> = {
  settle: (input, base) =>
    Either.gen(function*() {
      return {
        kind: "browser",
        ...yield* settleCode(input, base, "browser", example),
        viewport: input.viewport ?? base?.viewport ?? defaultViewport,
        ...yield* settleTls(input, base)
      }
    }),
  // Code can hold credentials anywhere, so only those who may edit it read it.
  masked: (target) => ({ ...target, code: mask }),
  confidentialTexts: ({ code }) => codeTexts(code),
  runsCode: true
}
