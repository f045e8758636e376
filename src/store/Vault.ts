/** Seals what must be used again (signing secrets, headers, bodies) before it is stored, and opens it. */
import { Context, Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { seal, sealingKey, unseal } from "../domain/Sealed.ts"

export class Vault extends Context.Tag("belltower/Vault")<Vault, {
  readonly seal: (text: string) => Effect.Effect<string>
  /** Dies when the deployment's secret is not the one it was sealed under. */
  readonly unseal: (sealed: string) => Effect.Effect<string>
}>() {
  static readonly layer = (secret: Redacted.Redacted): Layer.Layer<Vault> =>
    Layer.sync(Vault, () => {
      const key = sealingKey(Redacted.value(secret))
      return {
        seal: (text) => Effect.sync(() => seal(key, randomBytes(12), text)),
        unseal: (sealed) => Effect.sync(() => unseal(key, sealed))
      }
    })
}

/** How tokens are looked up: only their SHA-256 is stored. */
export const tokenHash = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest()
