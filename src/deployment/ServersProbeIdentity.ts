/** The identity of the probe that runs in a server. */
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import type { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import { programVersion } from "../../schema/ProgramVersion.ts"
import { publicKeyOf } from "../domain/probe/ProbeLink.ts"
import { epochKeyOf, firstEpoch, regionKeyOf } from "../domain/probe/RegionKeys.ts"
import { makeOwnKeys, ProbeRefused } from "../probe/OwnKeys.ts"
import type { Settings } from "../settings/Settings.ts"
import { InstallationKeys, probeKeyName } from "../store/InstallationKeys.ts"
import { Probes } from "../store/probe/Probes.ts"
import { identityFile, kept, save, textOf } from "./ProbeIdentity.ts"

/** The keys of the probe in a server, which enrols itself in the database: also in place of an identity that is not there. */
export const serversProbeIdentity = Effect.fn("ServersProbeIdentity.of")(
  function*(settings: Pick<Settings, "dataDir" | "region">) {
    const path = identityFile(settings)
    const probes = yield* Probes
    const installation = yield* Effect.flatMap(InstallationKeys, ({ key }) => key(probeKeyName))
    const known = yield* probes.all
    const epoch = (yield* probes.epochs.all).find(({ region }) => region === settings.region)?.epoch ?? firstEpoch
    const keys = [epochKeyOf(regionKeyOf(installation, settings.region, epoch))]
    const before = Option.filter(
      yield* kept(path),
      ({ probeId, region }) => region === settings.region && known.some(({ id, isRevoked }) => id === probeId && !isRevoked)
    )
    const enrolHere = Effect.gen(function*() {
      const privateKey = randomBytes(32)
      const enrolment = yield* probes.enrol.without(settings.region, {
        publicKey: publicKeyOf(privateKey),
        version: programVersion
      })
      if (enrolment._tag === "Refused") return yield* new ProbeRefused({ message: "This installation has too many probes" })
      const { id: probeId, region } = enrolment
      const identity: ProbeIdentity = {
        probeId,
        region,
        privateKey: textOf(privateKey),
        installation: textOf(publicKeyOf(installation)),
        keys,
        revoked: false
      }
      yield* save(path)(identity)
      return identity
    })
    return yield* makeOwnKeys(Option.isSome(before) ? { ...before.value, keys } : yield* enrolHere, path, save(path))
  }
)
