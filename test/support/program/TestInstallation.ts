/** The keys of an installation, for tests without a process that makes them. */
import { Layer, Redacted } from "effect"
import { makeLinkSigner } from "../../../src/domain/access/LinkSigner.ts"
import { KeyedHashes } from "../../../src/store/KeyedHashes.ts"
import { LinkKeys } from "../../../src/store/LinkKeys.ts"
import { Vault } from "../../../src/store/Vault.ts"

/** Strong enough for a start of the program. */
export const testSecret = "2b1f5d0c9e7a43868c1d4e02f7b6a9d35e8f14c07a92b36d"

/** Another one. */
export const otherSecret = "c40e9b7d21f86a53e0d79c4b1a6f8235d90b7e4c6f18a2d3"

export const testKeys = Layer.mergeAll(
  Vault.layer(Redacted.make(testSecret)),
  Layer.succeed(KeyedHashes, KeyedHashes.withKey(Buffer.alloc(32, 1))),
  Layer.succeed(LinkKeys, makeLinkSigner(Buffer.alloc(32, 2)))
)
