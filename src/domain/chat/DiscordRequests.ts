/** The requests of Discord when somebody presses a button (https://docs.discord.com/developers/interactions/receiving-and-responding). */
import { Data, Either, Option, Schema } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, numberAt, recordOf, textAt } from "../import/Loose.ts"
import { ChatAction } from "./ChatActions.ts"

/** A request is believed for so long before and after its time, in seconds. */
const toleranceSec = 300

export interface DiscordSignature {
  /** Seconds since 1970, as the header has them. */
  readonly timestamp: string
  /** 64 bytes as hexadecimal digits. */
  readonly signature: string
}

export const isDiscordKey = (key: string): boolean => /^[0-9a-f]{64}$/i.test(key)

/** Whether the application of one of the public keys signed the body (Ed25519), at most five minutes from `now` (ms). */
export const isFromDiscord = (
  keys: ReadonlyArray<string>,
  { signature, timestamp }: DiscordSignature,
  body: string,
  now: number
): boolean =>
  /^\d{1,15}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSec &&
  /^[0-9a-f]{128}$/i.test(signature) &&
  keys.filter(isDiscordKey).some((key) =>
    Either.getOrElse(
      Either.try(() => {
        const x = Buffer.from(key, "hex").toString("base64url")
        const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
        return verify(null, Buffer.from(`${timestamp}${body}`), publicKey, Buffer.from(signature, "hex"))
      }),
      () => false
    )
  )

export type DiscordInteraction = Data.TaggedEnum<{
  /** Discord asks whether the address works. */
  Ping: object
  Press: {
    readonly action: ChatAction
    /** The token of the message's link, which names the incident. */
    readonly token: string
    /** The id of the person who pressed it. */
    readonly member: string
    /** The name of the person who pressed it, as Discord knows it. */
    readonly by: string
    /** The message that has the button, as Discord keeps it. */
    readonly message: Loose
  }
}>
export type DiscordPress = Data.TaggedEnum.Value<DiscordInteraction, "Press">
export const DiscordInteraction = Data.taggedEnum<DiscordInteraction>()

const decodeAction = Schema.decodeUnknownOption(ChatAction)

/** None for any other interaction. */
export const discordInteraction = (body: string): Option.Option<DiscordInteraction> => {
  const given = fieldsOf({ statusCode: 200, body })
  if (numberAt(given, "type") === 1) return Option.some(DiscordInteraction.Ping())
  const [action, token = ""] = (textAt(recordOf(given["data"]), "custom_id") ?? "").split(".")
  // In a message to one person, no server stands between.
  const user = recordOf(recordOf(given["member"])["user"] ?? given["user"])
  const member = textAt(user, "id")
  if (numberAt(given, "type") !== 3 || member === null) return Option.none()
  return Option.map(decodeAction(action), (known) =>
    DiscordInteraction.Press({
      action: known,
      token,
      member,
      by: `${(textAt(user, "username") ?? member).slice(0, 80)} (Discord)`,
      message: recordOf(given["message"])
    }))
}
