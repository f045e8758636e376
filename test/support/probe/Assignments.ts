/** Assignments for tests: of any kind, and of an http monitor with the specification's defaults and overrides. */
import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import type { Assignment } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ProbeTarget } from "../../../schema/monitor/kinds.ts"
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import type { RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotAt, slotStart } from "../../../src/domain/check/round/CheckSlot.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"

export const region = Schema.decodeSync(RegionId)("main")

const monitorId = (): MonitorId => Schema.decodeSync(MonitorId)(makeId("mon", 1_700_000_000_000, randomBytes(10)))
const workspaceId = Schema.decodeSync(WorkspaceId)(makeId("ws", 1_700_000_000_000, new Uint8Array(10)))

interface Rest extends Partial<Omit<Assignment, "secrets" | "target">> {
  readonly secrets?: Partial<RequestSecrets>
}

export const assignmentTo = <T extends ProbeTarget>(target: T, rest: Rest = {}) => {
  const { secrets, ...fields } = rest
  return {
    monitorId: monitorId(),
    workspaceId,
    revision: 1,
    changedAt: 0,
    intervalSec: 60,
    timeoutMs: 10_000,
    regions: [region],
    target,
    secrets: secrets === undefined ? null : { headers: {}, body: null, clientKey: null, clientSecret: null, ...secrets },
    ...fields
  }
}

export const assignmentOf = (target: Partial<HttpTarget> & { readonly url: string }, rest: Rest = {}) =>
  assignmentTo<HttpTarget>({
    kind: "http",
    method: "GET",
    followRedirects: true,
    expectedStatus: "200-299",
    keyword: null,
    keywordAbsent: null,
    degradedAfterMs: null,
    sslExpiryDays: null,
    assertions: [],
    ...target
  }, rest)

/** One so late in its slot at `now` that the worker before has surely checked it: the next check is that of the next slot. */
export const lateInSlot = <A extends Assignment>(make: () => A, now: number): A => {
  const made = make()
  const intervalMs = made.intervalSec * 1000
  const phase = phaseOf(made.monitorId, intervalMs)
  return now - slotStart(slotAt(now - 1, phase, intervalMs), phase, intervalMs) > intervalMs / 2 ? made : lateInSlot(make, now)
}
