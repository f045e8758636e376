/** Makes the kinds of ways that reach a phone by its number. */
import { Effect, Schema } from "effect"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { hiddenNumber } from "../../../domain/paging/PhoneNumbers.ts"
import { phoneBody, phoneProblems, Phones, phonesMissing } from "../Phones.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"
import type { PhoneMessage } from "./PhoneProvider.ts"

interface PhoneWay {
  readonly kind: PhoneMessage["by"]
  readonly label: string
  readonly textOf: (message: WayMessage) => string
  /** The reason in a program without providers, such as a test of other ways. */
  readonly noProvider: string
}

export const makePhoneWay = ({ kind, label, noProvider, textOf }: PhoneWay) =>
  makeWayKind({
    kind,
    address: Schema.Struct({ phone: wayAddress.phone }),
    shown: ({ phone }) => hiddenNumber(phone),
    label,
    proof: "code",
    // A page that goes there acknowledges in the name of the person.
    isPersonal: true,
    problems: ({ phone }) => phoneProblems(phone),
    missing: phonesMissing(kind),
    compose: (message) => phoneBody(message, textOf(message)),
    send: (message, { phone }) =>
      Effect.flatMap(Phones, (phones) =>
        phones === null ? Effect.succeed(Answer.Impossible({ reason: noProvider })) : phones.send(kind, message, phone))
  })
