/** Calls: a text that is spoken twice, and the key that acknowledges. */
import { spokenCode, spokenPage } from "../../../domain/paging/SpokenPage.ts"
import { makePhoneWay } from "../phone/PhoneWay.ts"
import type { WayMessage } from "../WayKind.ts"

const textOf = (message: WayMessage): string => {
  switch (message._tag) {
    case "Page":
      return spokenPage(message)
    case "Code":
      return spokenCode(message.code)
    case "Test":
      return "This is a test from Belltower. Pages reach this phone. Nothing is wrong."
  }
}

export const voice = makePhoneWay({ kind: "voice", label: "Phone (calls)", textOf, noProvider: "This server makes no calls" })
