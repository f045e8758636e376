/** Enrols probes by tokens of the operator. */
import { Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { probeEnrolments } from "../../../schema/api/parts/AddressLimit.ts"
import { BadRequest, Forbidden } from "../../../schema/Errors.ts"
import { Enrolled, type EnrolmentAnswer, EnrolmentRequest } from "../../../schema/probe/Enrolment.ts"
import { hasToken, sealAnswer } from "../../domain/probe/Enrolment.ts"
import { linkToProbe } from "../../domain/probe/ProbeLink.ts"
import { epochKeyOf, firstEpoch, regionKeyOf } from "../../domain/probe/RegionKeys.ts"
import { nonceLength } from "../../domain/tools/SealedBytes.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { InstallationKeys, probeKeyName } from "../../store/InstallationKeys.ts"
import { Probes } from "../../store/probe/Probes.ts"

const decodeRequest = Schema.decodeUnknownOption(Schema.parseJson(EnrolmentRequest))
const encodeEnrolled = Schema.encodeSync(Schema.parseJson(Enrolled))

const unreadable = new BadRequest({
  message: "This is no enrolment of a probe",
  hint: "Probes enrol by themselves: start one with BELLTOWER_PROBE_TOKEN"
})

/** The same for a token that never existed and for a wrong one. */
const notAToken = new Forbidden({ message: "The token of the probe is not one of this installation" })

/** Only who has the token learns these. */
const reasons = {
  used: "The token of the probe was used already",
  expired: "The token of the probe has expired",
  revoked: "This probe was revoked",
  full: "This installation has 10,000 probes, and takes no more"
}

const another = "Make another one with belltower probe-token <region>"
const hints = {
  used: another,
  expired: another,
  revoked: another,
  full: "Those that nobody has used for 30 days end by themselves"
}

export class EnrolProbe extends Effect.Service<EnrolProbe>()("belltower/EnrolProbe", {
  effect: Effect.gen(function*() {
    const probes = yield* Probes
    const limits = yield* RateLimits
    const { key } = yield* InstallationKeys
    const installation = yield* Effect.cached(key(probeKeyName))

    const enrolled = Effect.fnUntraced(function*(request: EnrolmentRequest) {
      const own = yield* installation
      const publicKey = Buffer.from(request.publicKey, "base64url")
      const link = linkToProbe(own, publicKey)
      if (link === null || !hasToken(own, request)) return yield* notAToken
      const enrolment = yield* probes.enrol.byToken(request.token, { publicKey, version: request.version })
      if (enrolment._tag === "Refused") {
        return yield* new Forbidden({ message: reasons[enrolment.why], hint: hints[enrolment.why] })
      }
      const { id, region } = enrolment
      const epoch = (yield* probes.epochs.all).find((one) => one.region === region)?.epoch ?? firstEpoch
      const keys = [epochKeyOf(regionKeyOf(own, region, epoch))]
      const answer: EnrolmentAnswer = {
        sealed: sealAnswer(link, randomBytes(nonceLength), encodeEnrolled({ probeId: id, region, keys }))
      }
      return answer
    })

    /**
     * The answer for the probe, which asks again if it does not reach it. Fails with `forbidden` if the token is not good, and with
     * `rate_limited` after many of those from one address.
     */
    const enrol = Effect.fn("EnrolProbe.enrol")(function*(body: string, ip: string) {
      yield* limits.peek(probeEnrolments, ip)
      const request = Option.getOrNull(decodeRequest(body))
      const answer: Effect.Effect<EnrolmentAnswer, BadRequest | Forbidden> = request === null ? unreadable : enrolled(request)
      return yield* Effect.tapError(answer, () => limits.take(probeEnrolments, ip))
    })

    return { enrol }
  }),
  dependencies: [Probes.Default, InstallationKeys.Default]
}) {}
