/** The identity of a probe, as it keeps it in its data folder. Bytes are base64url. */
import { Schema } from "effect"
import { RegionId } from "../check/Region.ts"
import { ProbeId } from "../Ids.ts"
import { EpochKey } from "./Enrolment.ts"

export const ProbeIdentity = Schema.Struct({
  probeId: ProbeId,
  region: RegionId,
  privateKey: Schema.String,
  /** The public key of the installation that it belongs to. */
  installation: Schema.String,
  /** The keys of its region, the newest first. */
  keys: Schema.Array(EpochKey),
  revoked: Schema.Boolean
})
export type ProbeIdentity = typeof ProbeIdentity.Type
