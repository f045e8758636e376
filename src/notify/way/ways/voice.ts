/** Calls: a text that is spoken twice, and the key that acknowledges. */
import { Effect, Schema } from "effect"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { hiddenNumber } from "../../../domain/paging/PhoneNumbers.ts"
import { spokenCode, spokenPage } from "../../../domain/paging/SpokenPage.ts"
import type { Message } from "../../alert/ChannelKind.ts"
import { phoneBody, phoneProblems, Phones, phonesMissing } from "../Phones.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

const Address = Schema.Struct({ phone: wayAddress.phone })
type Address = typeof Address.Type

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

const send = Effect.fnUntraced(function*(message: Message, { phone }: Address) {
  const phones = yield* Phones
  return phones === null
    ? Answer.Impossible({ reason: "This server makes no calls" })
    : yield* phones.send("voice", message, phone)
})

export const voice = makeWayKind({
  kind: "voice",
  address: Address,
  shown: ({ phone }) => hiddenNumber(phone),
  label: "Phone (calls)",
  proof: "code",
  // A page that goes there acknowledges in the name of the person.
  isPersonal: true,
  problems: ({ phone }) => phoneProblems(phone),
  missing: phonesMissing("voice"),
  compose: (message) => phoneBody(message, textOf(message)),
  send
})
