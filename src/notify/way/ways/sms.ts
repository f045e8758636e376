/** SMS: a text with the link that acknowledges, in one message where it fits. */
import { DateTime, Effect, Schema } from "effect"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { hiddenNumber } from "../../../domain/paging/PhoneNumbers.ts"
import { fittingSms } from "../../../domain/paging/SmsText.ts"
import type { Message } from "../../alert/ChannelKind.ts"
import { phoneBody, phoneProblems, Phones, phonesMissing } from "../Phones.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

const Address = Schema.Struct({ phone: wayAddress.phone })
type Address = typeof Address.Type

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

const send = Effect.fnUntraced(function*(message: Message, { phone }: Address) {
  const phones = yield* Phones
  return phones === null ? Answer.Impossible({ reason: "This server sends no texts" }) : yield* phones.send("sms", message, phone)
})

export const sms = makeWayKind({
  kind: "sms",
  address: Address,
  shown: ({ phone }) => hiddenNumber(phone),
  label: "Phone (texts)",
  proof: "code",
  // A page that goes there acknowledges in the name of the person.
  isPersonal: true,
  problems: ({ phone }) => phoneProblems(phone),
  missing: phonesMissing("sms"),
  compose: (message) => phoneBody(message, textOf(message)),
  send
})
