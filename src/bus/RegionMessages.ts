/** Messages of the servers to the probes of one region: sealed with the region's key, removals proved with it. */
import { Effect } from "effect"
import type { IHeaders, Message } from "kafkajs"
import { randomBytes } from "node:crypto"
import type { RegionId } from "../../schema/check/Region.ts"
import { epochOf, isProof, openForRegion, regionProof, type SealedKind, sealForRegion } from "../domain/probe/RegionSeal.ts"
import { nonceLength } from "../domain/tools/SealedBytes.ts"
import type { ProbeKeys, ServerKeys } from "./BusKeys.ts"
import { headerOf } from "./Signed.ts"

/** `key` is that of the message: its text opens under no other. */
export const sealedFor = (servers: ServerKeys, kind: SealedKind, region: RegionId, key: string, text: string): Buffer =>
  sealForRegion(kind, servers.regionKey(region), key, randomBytes(nonceLength), text)

/** The headers that carry the proof of a removal, which has no text. */
const names = { epoch: "epoch", proof: "mac" } as const

/** The message of a monitor that is gone from a region. */
export const removalFor = (servers: ServerKeys, region: RegionId, key: string): Pick<Message, "key" | "value" | "headers"> => {
  const regionKey = servers.regionKey(region)
  return {
    key,
    value: null,
    headers: { [names.epoch]: String(regionKey.epoch), [names.proof]: regionProof(regionKey, "gone", key) }
  }
}

/**
 * Why a message cannot be taken: `later` needs a key that the probe does not have yet, `former` one that it never had, so a later
 * message replaces it; `forged` is none of the servers.
 */
export type Unopened = "later" | "former" | "forged"

/** The key of an epoch; or where the epoch lies. */
const keyOf = ({ regionKeys }: ProbeKeys, epoch: number) => {
  const known = regionKeys()
  return known.find((key) => key.epoch === epoch) ?? (epoch > (known[0]?.epoch ?? 0) ? "later" : "former")
}

/** The text of a sealed message. */
export const openedBy = (probe: ProbeKeys, kind: SealedKind, key: string, value: Buffer): Buffer | Unopened => {
  const epoch = epochOf(value)
  if (epoch === null) return "forged"
  const regionKey = keyOf(probe, epoch)
  return typeof regionKey === "string" ? regionKey : openForRegion(kind, regionKey, key, value) ?? "forged"
}

/** Null if the servers say that a monitor is gone. */
export const removalOf = (probe: ProbeKeys, key: string, headers: IHeaders | undefined): Unopened | null => {
  const epoch = headerOf(headers, names.epoch)?.toString("latin1") ?? ""
  const proof = headerOf(headers, names.proof)?.toString("latin1") ?? ""
  if (!/^\d{1,10}$/.test(epoch)) return "forged"
  const regionKey = keyOf(probe, Number(epoch))
  return typeof regionKey === "string" ? regionKey : isProof(regionKey, "gone", key, proof) ? null : "forged"
}

/** Completes when the probe has another newest key than that of `epoch`. */
export const newerKey = (probe: ProbeKeys, epoch: number): Effect.Effect<void> =>
  Effect.suspend(() => newestEpoch(probe) > epoch ? Effect.void : probe.nextKey)

/** 0 while it has none. */
export const newestEpoch = ({ regionKeys }: ProbeKeys): number => regionKeys()[0]?.epoch ?? 0
