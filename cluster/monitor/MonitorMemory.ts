/**
 * The memory of a monitor on its runner, and the rule that keeps its two users apart: messages to its actor change it, and local calls,
 * which need no actor, use it only while none is handled.
 */
import { Effect } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { expectedRound } from "../../src/domain/monitor/ExpectedRound.ts"
import { isProbed } from "../../src/domain/monitor/kinds.ts"
import { shardOf } from "../../src/domain/tools/Shard.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { entityKey } from "./MonitorProtocol.ts"

/** One per monitor, updated in place. The functions that work on it exist once per process, not once per monitor. */
export interface MonitorMemory {
  readonly entityId: string
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly shard: number
  /** The row with the checks since its last write; null while it must be loaded. Stale memory loses the race at the next commit. */
  monitor: MonitorWithMachine | null
  /** The memory before a failure: it may hold checks that the row lacks, or the row may be newer. */
  spare: MonitorWithMachine | null
  /** Actors that use this memory: more than one only while one replaces another. */
  actors: number
  /** Messages that are being handled now. */
  messages: number
  /** Messages whose handling has begun since the memory was made. */
  begun: number
}

export const makeMonitorMemory = (entityId: string): MonitorMemory => {
  const { id, workspaceId } = entityKey(entityId)
  return {
    entityId,
    workspaceId,
    monitorId: id,
    shard: shardOf(entityId),
    monitor: null,
    spare: null,
    actors: 0,
    messages: 0,
    begun: 0
  }
}

/**
 * Works on a message; until it is done, local calls do not touch the memory. `work` is called when its message is handled, with what
 * says whether no other message has begun since.
 */
export const handleMessage = <A>(memory: MonitorMemory, work: (isLast: () => boolean) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const own = memory.begun + 1
    const working = work(() => memory.begun === own)
    memory.messages++
    memory.begun = own
    return Effect.ensuring(working, Effect.sync(() => memory.messages--))
  })

/** Whether a local call may use the memory: not after a failure, as only the actor compares the spare memory with the row. */
export const takesLocalCalls = ({ messages, spare }: MonitorMemory): boolean => messages === 0 && spare === null

/** After a failed commit, only the row shows whether it took effect: the memory is loaded again. */
export const forgetAfterFailure = (memory: MonitorMemory, before: MonitorWithMachine): void => {
  memory.monitor = null
  memory.spare = before
}

export const snapshotOf = (monitor: MonitorWithMachine): Snapshot => ({
  workspaceId: monitor.workspaceId,
  monitorId: monitor.id,
  version: monitor.version,
  machine: monitor.machine,
  lastCheck: monitor.lastCheck,
  expected: isProbed(monitor.target) ? expectedRound(monitor.machine, monitor, monitor.updatedAt.epochMillis) : null
})

export const newerCheck = (before: CheckSummary | null, check: CheckSummary): CheckSummary =>
  before !== null && before.at.epochMillis > check.at.epochMillis ? before : check

/** A race may be lost a few times in a row; more means that two writers keep fighting over the row. */
const mostLostRaces = 3

/** Starts again from the row, which another writer has changed. `attempt` counts the attempts before, from 0. */
export const afterLostRace = <A>(
  memory: MonitorMemory,
  attempt: number,
  again: (attempt: number) => Effect.Effect<A>
): Effect.Effect<A> => {
  memory.monitor = null
  return attempt < mostLostRaces
    ? again(attempt + 1)
    : Effect.dieMessage(`Monitor ${memory.monitorId} keeps losing its row to another writer`)
}
