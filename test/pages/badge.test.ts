import { expect, it } from "@effect/vitest"
import { inLine } from "../../src/notify/mail/MailLayout.ts"
import { badge } from "../../src/pages/Badge.ts"

it("keeps whole characters where a long name is cut, on a badge and in a mail", () => {
  const name = `${"a".repeat(58)}😀 and more`
  const texts = [
    badge(name, "Operational", "operational", "en").replace(/<title>[^]*?<\/title>|aria-label="[^"]*"/g, ""),
    inLine(name, 60)
  ]
  for (const text of texts) expect([/\p{Cs}/u.test(text), text.includes(`${"a".repeat(58)}…`)]).toEqual([false, true])
})
