/** Hashes by which equal texts are found without opening what is sealed. */
import { Context, Effect, Layer } from "effect"
import { keyedHash } from "../domain/tools/Sealed.ts"
import { InstallationKeys } from "./InstallationKeys.ts"

/** The name of the installation's key for hashes. */
export const hashesKeyName = "hashes"

/** The hash of a text, under a key of the installation. It never leaves the database. */
export class KeyedHashes extends Context.Tag("belltower/KeyedHashes")<KeyedHashes, (text: string) => Buffer>() {
  static readonly withKey = (key: Uint8Array) => (text: string): Buffer => keyedHash(key, text)

  static readonly layer: Layer.Layer<KeyedHashes, never, InstallationKeys> = Layer.effect(
    KeyedHashes,
    Effect.flatMap(InstallationKeys, ({ key }) => Effect.map(key(hashesKeyName), KeyedHashes.withKey))
  )
}
