/** The bus between runners and probes: one interface, carried by Kafka or inside the process. */
import { Context, Data, type Effect, type Scope, type Stream } from "effect"
import type { Assignment, AssignmentChange, Beat, CheckRequest, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { reasonOf } from "../loops/Outage.ts"

/** By region, the number of partitions of its assignments. */
export type PartitionCounts = ReadonlyMap<RegionId, number>

/** A region to send to, and an earlier number of partitions by which it may have kept assignments. */
export interface OneRegion {
  readonly region: RegionId
  readonly formerly?: number | undefined
}

/** The bus cannot be reached; nothing was accepted. */
export class BusUnavailable extends Data.TaggedError("BusUnavailable")<{ readonly cause: unknown }> {
  override get message() {
    return reasonOf(this.cause)
  }
}

export const busUnavailable = (cause: unknown): BusUnavailable => new BusUnavailable({ cause })

/** No probe of the region answered in time. */
export class NoProbe extends Data.TaggedError("NoProbe")<{ readonly region: RegionId }> {}

/** Some results could not be handled, because their shards moved; they are delivered again. */
export class Unhandled extends Data.TaggedError("Unhandled") {}

export type ShareSignal = Data.TaggedEnum<{
  /** The partitions that this worker now owns, of so many of the region; it drops the monitors of all others. */
  Owned: { readonly partitions: ReadonlySet<number>; readonly total: number }
  /** A monitor of one of its partitions: assigned, or gone when `assignment` is null. Repeated after each rebalance. */
  Changed: { readonly partition: number; readonly change: AssignmentChange }
}>
export const ShareSignal = Data.taggedEnum<ShareSignal>()

/** A change of a monitor in all regions: its assignment for those that it names, or null. */
export interface Publication extends AssignmentChange {
  /** The regions that may have had an earlier assignment, which goes where the new one is not. Missing: all opened ones. */
  readonly left?: ReadonlyArray<RegionId>
}

/** A change as a region sees it: a monitor that leaves the region looks deleted. */
export const changedIn = (region: RegionId, partition: number, change: AssignmentChange): ShareSignal => {
  const isHere = change.assignment === null || change.assignment.regions.includes(region)
  return ShareSignal.Changed({ partition, change: isHere ? change : { ...change, assignment: null } })
}

/** The shards whose results a process takes, and the offsets of their partitions, which only Kafka has. */
export interface ResultShards {
  /** The shards whose actors live in this process now, from 0; a plain read, several times a second. */
  readonly held: () => ReadonlySet<number>
  /** Takes partitions over from their last reader; returns the offsets at which they continue, none for a new partition. */
  readonly claim: (topic: string, partitions: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, string>, unknown>
  /** Keeps the offsets at which partitions continue; returns the partitions that no other reader has claimed since. */
  readonly keep: (topic: string, offsets: ReadonlyMap<number, string>) => Effect.Effect<ReadonlySet<number>, unknown>
}

/** The progress of a batch of results that was taken in. */
export interface TakenIn {
  /** Completes when the results are stored, but for the late ones. */
  readonly stored: Effect.Effect<void>
  /** Results that wait for something that the others do not wait for; null if there are none. */
  readonly late: { readonly results: ReadonlySet<CheckResult>; readonly stored: Effect.Effect<void, Unhandled> } | null
}

export class Bus extends Context.Tag("belltower/Bus")<Bus, {
  /**
   * Lets the probes of a region get assignments and requests. False if that needs what only the operator can make; the log says
   * what.
   */
  readonly open: (region: RegionId) => Effect.Effect<boolean, BusUnavailable>
  /**
   * Accepted when it returns: each region keeps the latest assignments of the monitors that name it, and no others. With `only`,
   * nothing goes to other regions, and nothing of these monitors is left in the partitions of its earlier number.
   */
  readonly assign: (publications: ReadonlyArray<Publication>, only?: OneRegion) => Effect.Effect<void, BusUnavailable>
  /**
   * The opened regions, with the numbers of partitions of their assignments, which `assign` uses from then on. Numbers can grow at
   * any time. A region that comes has none of the assignments that were published before. Empty inside one process.
   */
  readonly partitions: Effect.Effect<PartitionCounts, BusUnavailable>
  /** This worker's share of a region; survives broker restarts and ends with the scope of its consumer. */
  readonly share: (region: RegionId) => Stream.Stream<ShareSignal>
  /** Accepted when it returns. A monitor's results keep their order. */
  readonly report: (results: ReadonlyArray<CheckResult>) => Effect.Effect<void, BusUnavailable>
  /**
   * Calls `handle` with batches of results of the shards that this process holds, until the scope closes, at least once each.
   * The next batch comes as soon as `handle` returns, so `handle` bounds what is open. Results are done when they are stored, and
   * are delivered again if that fails or if their shards move before.
   */
  readonly results: (
    handle: (batch: ReadonlyArray<CheckResult>) => Effect.Effect<TakenIn>,
    shards: ResultShards
  ) => Effect.Effect<void, never, Scope.Scope>
  /** A sign of life; dropped while the bus is away. */
  readonly beat: (beat: Beat) => Effect.Effect<void, BusUnavailable>
  /** All beats of all workers from now on. */
  readonly beats: Stream.Stream<Beat>
  /** Sends all probes the time of the servers, ms since 1970; dropped while the bus is away. Reads it as late as possible. */
  readonly publishTime: (now: Effect.Effect<number>) => Effect.Effect<void, BusUnavailable>
  /**
   * Sends the probes that were heard lately the keys of their regions, as the database has them now, and revoked ones that they are
   * revoked. Null inside one process, and in a process that only runs checks.
   */
  readonly publishKeys: Effect.Effect<void, BusUnavailable> | null
  /** The servers' published time; null inside one process, which has one clock. */
  readonly times: Stream.Stream<number> | null
  /** Asks a worker of the region for one immediate check. */
  readonly ask: (request: CheckRequest) => Effect.Effect<CheckResult, BusUnavailable | NoProbe>
  /** Answers these requests for a region until the scope closes; each request goes to one worker. */
  readonly answer: (
    region: RegionId,
    check: (assignment: Assignment) => Effect.Effect<CheckResult>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Fails while the bus does not answer; for readiness. */
  readonly ping: Effect.Effect<void, BusUnavailable>
}>() {}
