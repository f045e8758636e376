/** What a channel must keep secret and use again: its signing secrets and the values of its headers, sealed as one text. */
import { Effect, Schema } from "effect"
import { Vault } from "../Vault.ts"

export const ChannelSecrets = Schema.Struct({
  signing: Schema.Array(Schema.Struct({
    secret: Schema.String,
    until: Schema.NullOr(Schema.Number).annotations({ description: "Milliseconds since 1970; null for the current one" })
  })),
  headers: Schema.Record({ key: Schema.String, value: Schema.String })
})
export type ChannelSecrets = typeof ChannelSecrets.Type

const Sealed = Schema.parseJson(ChannelSecrets)
const encode = Schema.encodeSync(Sealed)
const decode = Schema.decodeSync(Sealed)

export const sealSecrets = (secrets: ChannelSecrets): Effect.Effect<string, never, Vault> =>
  Effect.flatMap(Vault, (vault) => vault.seal(encode(secrets)))

/** Dies when the deployment's secret is not the one they were sealed under. A channel without secrets has none to open. */
export const openSecrets = (sealed: string | null): Effect.Effect<ChannelSecrets, never, Vault> =>
  sealed === null
    ? Effect.succeed({ signing: [], headers: {} })
    : Effect.flatMap(Vault, (vault) => Effect.map(vault.unseal(sealed), decode))
