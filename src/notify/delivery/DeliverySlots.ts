/** The slots of a delivery worker, shared fairly by workspaces and hosts. An attempt that becomes slow moves to the slow lane. */
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeDeliveryHostLimit } from "../../domain/alert/DeliveryHostLimit.ts"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import { makeAddressLimit } from "../../domain/check/address/AddressLimit.ts"
import { makePermitsAt, type OwnPermits } from "../../domain/check/address/PermitsAt.ts"
import { makeFifo } from "../../domain/tools/queues/Fifo.ts"
import { type Lane, type LaneState, makeLanes } from "../../domain/tools/queues/Lanes.ts"

/** An attempt that takes longer than this is slow, ms. */
const slowMs = 500

/** A claimed delivery, as far as its slot is concerned. */
export interface SlotRun extends LaneState {
  readonly delivery: { readonly workspaceId: WorkspaceId }
  readonly host: string
  /** When its attempt began, ms of running time. */
  begun: number
  /** The addresses at which it has waited for a permit. */
  granted: ReadonlyArray<string>
}

const ownerOf = ({ delivery }: SlotRun): WorkspaceId => delivery.workspaceId

const makeCounts = () => {
  const counts = new Map<WorkspaceId, number>()
  return {
    add: (id: WorkspaceId, change: 1 | -1): void => {
      const count = (counts.get(id) ?? 0) + change
      if (count > 0) counts.set(id, count)
      else counts.delete(id)
    },
    atLeast: (most: number) => [...counts].flatMap(([id, count]) => (count >= most ? [id] : []))
  }
}

/** A host's queue holds as many deliveries as the host takes in this time; more come again later. */
const queueSec = 12
/** Waiting deliveries in memory, each with a body of some kB: for hosts, and for addresses. */
const mostWaiting = 5000
/** Deliveries of one workspace that wait for addresses. */
const mostWaitingPerOwner = mostWaiting / 10

/** `share` is this worker's part of the rates of hosts. `displaced` receives one that gave its place in a queue up: it is not kept. */
export const makeDeliverySlots = <Run extends SlotRun>(
  { concurrency, hostRate, workspacePercent }: DeliveryLimits,
  share: () => number,
  displaced: (run: Run) => void
) => {
  const fastSlots = Math.max(1, Math.ceil(concurrency / 2))
  const counts = { fast: makeCounts(), slow: makeCounts() }
  const lanes = makeLanes<Run>({
    slots: { fast: fastSlots, slow: Math.max(1, concurrency - fastSlots) },
    ownerPercent: workspacePercent,
    ownerOf,
    stateOf: (run) => run,
    moved: ({ delivery }) => {
      counts.fast.add(delivery.workspaceId, -1)
      counts.slow.add(delivery.workspaceId, 1)
    }
  })
  // A tenth for each host: one that hangs holds no more slots than this, for all workspaces together.
  const atOnce = Math.max(1, Math.ceil(concurrency / 10))
  const hosts = makeDeliveryHostLimit<Run>({
    perSecond: hostRate,
    share,
    atOnce,
    mostQueued: (hostRate === 0 ? atOnce : hostRate) * queueSec,
    room: mostWaiting,
    displaced
  })
  const addresses = makeAddressLimit<Run>({
    perSecond: hostRate,
    ownerOf,
    share,
    room: { total: mostWaiting, perOwner: mostWaitingPerOwner }
  })
  /** Attempts that are not slow yet, oldest first. */
  const young = makeFifo<Run>()

  const enqueue = (run: Run): void => {
    counts[run.lane].add(ownerOf(run), 1)
    lanes.offer(run, run.lane)
  }

  /** Queues a delivery. False if too many wait for its host, and no workspace has more of them: nothing is kept. */
  const offer = (run: Run, now: number): boolean => {
    const turn = hosts.enter(run.host, ownerOf(run), run, now)
    if (turn === "start") enqueue(run)
    return turn !== "full"
  }

  /** Takes the next delivery that can start and gives it a slot. */
  const next = (now: number): Run | undefined => {
    const run = lanes.next()
    if (run === undefined) return undefined
    run.begun = now
    young.push(run)
    return run
  }

  /** Moves attempts that became slow, and queues the deliveries whose hosts have room again. `now` is ms of running time. */
  const tick = (now: number): void => {
    for (let run = young.peek(); run !== undefined && run.begun <= now - slowMs; run = young.peek()) {
      young.shift()
      if (run.stage === "under_way" && run.lane === "fast") lanes.overstay(run)
    }
    for (const run of hosts.advance(now)) enqueue(run)
    for (const { address, item } of addresses.advance(now)) {
      item.granted = [...item.granted, address]
      if (!offer(item, now)) displaced(item)
    }
  }

  /** Frees the slots of a delivery that started. Returns whether its attempt was slow. */
  const end = (run: Run, now: number): boolean => {
    counts[run.lane].add(ownerOf(run), -1)
    lanes.end(run)
    hosts.leave(run.host, ownerOf(run))
    return now - run.begun >= slowMs
  }

  return {
    offer,
    next,
    end,
    tick,
    permitsOf: (run: Run, now: () => number): OwnPermits =>
      makePermitsAt(addresses, { owner: ownerOf(run), granted: run.granted, isPaced: false }, now),
    /** Frees the slots of a delivery that made no connection, until the address gives it a permit. False if there is no room. */
    awaitPermit: (run: Run, address: string, now: number): boolean => {
      end(run, now)
      run.stage = "spread"
      return addresses.wait(address, run, now)
    },
    /** How many more deliveries of a lane may be claimed. */
    room: lanes.room,
    size: (lane: Lane): number => lanes.slots[lane],
    perWorkspace: (lane: Lane): number => lanes.mostPerOwner[lane],
    /** The workspaces that have as many deliveries in a lane as they may hold slots. */
    saturated: (lane: Lane): ReadonlyArray<WorkspaceId> => counts[lane].atLeast(lanes.mostPerOwner[lane]),
    /** The delay before a delivery that was not kept comes again, ms. */
    postpone: (run: Run, now: number): number => hosts.postpone(run.host, ownerOf(run), now)
  }
}
