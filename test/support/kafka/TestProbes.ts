/** Keys for buses of tests: an installation that knows a probe in each region, the same in every process. */
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { RegionId } from "../../../schema/check/Region.ts"
import { ProbeId } from "../../../schema/Ids.ts"
import type { ProbeIdentity } from "../../../schema/probe/ProbeIdentity.ts"
import { BusKeys, type ProbeKeys, type ServerKeys } from "../../../src/bus/BusKeys.ts"
import { sealNews } from "../../../src/domain/probe/Enrolment.ts"
import { expanded, linkToProbe, linkToServers, publicKeyOf } from "../../../src/domain/probe/ProbeLink.ts"
import { epochKeyOf, regionKeyOf } from "../../../src/domain/probe/RegionKeys.ts"

const installation = new Uint8Array(32).fill(7)

const testRegion = RegionId.make("main")

const idOf = (region: string): ProbeId => ProbeId.make(`prb_${region}`)
const privateKeyOf = (region: string): Uint8Array => expanded(installation, "a probe of the tests", region)

const linkTo = (region: string) => linkToProbe(installation, publicKeyOf(privateKeyOf(region)))!

/** The keys of servers that know a probe in each of these regions. Tests may revoke probes and begin epochs. */
export const makeTestServers = (regions: ReadonlyArray<string> = ["main", "elsewhere"]) => {
  const revoked = new Set<string>()
  const epochs = new Map<string, number>()
  const live = new Set<ProbeId>()
  const senders = new Map(regions.map((region) => [idOf(region), { region: RegionId.make(region), link: linkTo(region) }]))
  const regionKey = (region: RegionId) => regionKeyOf(installation, region, epochs.get(region) ?? 1)
  const servers: ServerKeys = {
    sender: (id) => {
      const found = senders.get(ProbeId.make(id))
      return found && { id: ProbeId.make(id), region: found.region, signing: found.link.signing, isRevoked: revoked.has(id) }
    },
    learn: Effect.void,
    regionKey,
    regionKeys: () => Array.from(senders.values(), ({ region }) => regionKey(region)),
    refresh: Effect.void,
    heard: ({ id }) => void live.add(id),
    news: Effect.sync(() =>
      new Map([...live].flatMap((id) => {
        const found = senders.get(id)
        if (found === undefined) return []
        const news = revoked.has(id) ? { revoked: true } : { keys: [epochKeyOf(regionKey(found.region))] }
        return [[id, sealNews(found.link, randomBytes(12), JSON.stringify(news))] as const]
      }))
    )
  }
  return {
    servers,
    revoke: (region: string): void => void revoked.add(idOf(region)),
    nextEpoch: (region: string): void => void epochs.set(region, (epochs.get(region) ?? 1) + 1)
  }
}

/** The identity of the probe in a region, as it is in its file. */
export const testIdentity = (region: string): ProbeIdentity => ({
  probeId: idOf(region),
  region: RegionId.make(region),
  privateKey: Buffer.from(privateKeyOf(region)).toString("base64url"),
  installation: publicKeyOf(installation).toString("base64url"),
  keys: [epochKeyOf(regionKeyOf(installation, RegionId.make(region), 1))],
  revoked: false
})

/** The keys of the probe in a region, which it keeps. */
export const testProbe = (region: string = testRegion): ProbeKeys => {
  const keys = [regionKeyOf(installation, RegionId.make(region), 1)]
  return {
    id: idOf(region),
    region: RegionId.make(region),
    signing: linkToServers(privateKeyOf(region), publicKeyOf(installation))!.signing,
    regionKeys: () => keys,
    nextKey: Effect.never,
    hear: () => Effect.void
  }
}

/** A process that is a server and the probe of a region. */
export const probeKeys = (region: string = testRegion): Layer.Layer<BusKeys> =>
  Layer.sync(BusKeys, () => ({ servers: makeTestServers().servers, probe: testProbe(region) }))
