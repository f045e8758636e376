/** The keys that seal what the servers send to all probes of a region. Each revocation begins an epoch with another key. */
import type { RegionId } from "../../../schema/check/Region.ts"
import type { EpochKey } from "../../../schema/probe/Enrolment.ts"
import { expanded } from "./ProbeLink.ts"

export interface RegionKey {
  readonly region: RegionId
  /** From 1. */
  readonly epoch: number
  /** 32 bytes. */
  readonly key: Uint8Array
}

/** The epoch of a region from which no probe was revoked yet. */
export const firstEpoch = 1

export const regionKeyOf = (installationKey: Uint8Array, region: RegionId, epoch: number): RegionKey => ({
  region,
  epoch,
  key: expanded(installationKey, "belltower/region/v1", region, String(epoch))
})

/** The key as it is sent to a probe. */
export const epochKeyOf = ({ epoch, key }: RegionKey): EpochKey => ({ epoch, key: Buffer.from(key).toString("base64url") })

export const readEpochKey = (region: RegionId, { epoch, key }: EpochKey): RegionKey => ({
  region,
  epoch,
  key: Buffer.from(key, "base64url")
})

/** Earlier keys that a probe keeps, for what was sealed before its servers began an epoch. */
const kept = 3

/** The newest keys among those that a probe has and one that it received, the newest first. */
export const withKey = (known: ReadonlyArray<RegionKey>, received: RegionKey): ReadonlyArray<RegionKey> =>
  [received, ...known.filter(({ epoch }) => epoch !== received.epoch)].sort((a, b) => b.epoch - a.epoch).slice(0, kept)
