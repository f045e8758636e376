/** The secrets of a channel, sealed as one text: its signing secrets and its secret settings. */
import { Effect, Schema } from "effect"
import type { ChannelId } from "../../../schema/Ids.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"

const SigningSecrets = Schema.Array(Schema.Struct({
  secret: Schema.String,
  until: Schema.NullOr(Schema.Number).annotations({ description: "Milliseconds since 1970; null for the current one" })
}))

const Settings = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export interface ChannelSecrets {
  readonly signing: typeof SigningSecrets.Type
  /** The sealed settings by name. The channel's kind decides which settings are sealed. */
  readonly settings: typeof Settings.Type
}

const Sealed = Schema.parseJson(Schema.Struct({ signing: SigningSecrets }, Settings))
const encode = Schema.encodeSync(Sealed)
const decode = Schema.decodeSync(Sealed)

const cellOfSecrets = (id: ChannelId) => cellOf("channels.sealed", id)

export const sealSecrets = (id: ChannelId, { settings, signing }: ChannelSecrets): Effect.Effect<string, never, Vault> =>
  Effect.flatMap(Vault, (vault) => vault.seal(cellOfSecrets(id), encode({ ...settings, signing })))

/** Dies when they were sealed with a different deployment secret. A null `sealed` gives no secrets. */
export const openSecrets = (id: ChannelId, sealed: string | null): Effect.Effect<ChannelSecrets, never, Vault> =>
  sealed === null
    ? Effect.succeed({ signing: [], settings: {} })
    : Effect.flatMap(Vault, (vault) =>
      Effect.map(vault.unseal(cellOfSecrets(id), sealed), (text): ChannelSecrets => {
        const { signing, ...settings } = decode(text)
        return { signing, settings }
      }))
