/** The keys by which a process trusts messages of the bus, and seals them. Inside one process nothing is signed or sealed. */
import { Context, Effect } from "effect"
import type { KeyObject } from "node:crypto"
import type { Beat } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { ProbeId } from "../../schema/Ids.ts"
import type { RegionKey } from "../domain/probe/RegionKeys.ts"

/** A probe that the servers know. */
export interface Sender {
  readonly id: ProbeId
  /** The region for which it was enrolled. */
  readonly region: RegionId
  /** The key that only it and the servers have. */
  readonly signing: KeyObject
  readonly isRevoked: boolean
}

/** The keys of a process that reads what probes send. */
export interface ServerKeys {
  /** The probe with an id, as far as this process knows; a plain read, once per message. */
  readonly sender: (id: string) => Sender | undefined
  /** Reads the identities that were enrolled since. At most one read a second, so that made-up ids cost next to nothing. */
  readonly learn: Effect.Effect<void>
  /** The key that seals for a region now. */
  readonly regionKey: (region: RegionId) => RegionKey
  /** The keys of all regions that have probes. */
  readonly regionKeys: () => ReadonlyArray<RegionKey>
  /** Reads the identities and the epochs of regions again. */
  readonly refresh: Effect.Effect<void>
  /** Takes note of a beat that its probe has signed, also a revoked probe. */
  readonly heard: (sender: Sender, beat: Beat, now: number) => void
  /** News for each probe that was heard within the last minute, sealed to it: the key of its region, or that it is revoked. */
  readonly news: Effect.Effect<ReadonlyMap<ProbeId, string>>
}

/** The keys of a process that runs checks. */
export interface ProbeKeys {
  readonly id: ProbeId
  readonly region: RegionId
  readonly signing: KeyObject
  /** The keys of its region, the newest first; a plain read. */
  readonly regionKeys: () => ReadonlyArray<RegionKey>
  /** Completes with the next key that it did not have. */
  readonly nextKey: Effect.Effect<void>
  /** Takes what the servers send to this probe; null for a message to others alone. */
  readonly hear: (news: string | null) => Effect.Effect<void>
}

/** A process may be both. */
export class BusKeys extends Context.Tag("belltower/BusKeys")<BusKeys, {
  readonly servers: ServerKeys | null
  readonly probe: ProbeKeys | null
}>() {}

/** A part that needs keys which its process does not have is not used there. */
export const lacksKeys = (what: string): Effect.Effect<never> => Effect.dieMessage(`This process has no keys: it cannot ${what}`)
