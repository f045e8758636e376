/** SMS: a text with the link that acknowledges, in one message where it fits. */
import { DateTime } from "effect"
import { fittingSms } from "../../../domain/paging/SmsText.ts"
import { makePhoneWay } from "../phone/PhoneWay.ts"
import type { WayMessage } from "../WayKind.ts"

const textOf = (message: WayMessage): string => {
  switch (message._tag) {
    case "Page": {
      const since = DateTime.formatIso(message.startedAt).slice(11, 16)
      return fittingSms(message.title, `. Since ${since} UTC. Acknowledge: ${message.acknowledgeLink}`)
    }
    case "Code":
      return `${message.code} is your code for Belltower. Nobody will ask you for it.`
    case "Test":
      return "Test from Belltower: pages reach this phone. Nothing is wrong."
  }
}

export const sms = makePhoneWay({ kind: "sms", label: "Phone (texts)", textOf, noProvider: "This server sends no texts" })
