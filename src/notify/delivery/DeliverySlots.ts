/** The slots of a delivery worker, shared fairly by workspaces and hosts. An attempt that becomes slow moves to the slow lane. */
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import { makeHostLimit } from "../../domain/alert/HostLimit.ts"
import { makeAddressLimit } from "../../domain/check/address/AddressLimit.ts"
import { makePermitsAt, type OwnPermits } from "../../domain/check/address/PermitsAt.ts"
import { makeFifo } from "../../domain/tools/queues/Fifo.ts"
import { type Lane, type LaneState, makeLanes } from "../../domain/tools/queues/Lanes.ts"

/** An attempt that takes longer than this is slow, ms. */
const slowMs = 500

/** A held delivery on its way through the slots. */
export interface Job extends LaneState {
  readonly delivery: { readonly workspaceId: WorkspaceId }
  readonly host: string
  /** When its attempt began, ms of running time. */
  begun: number
  /** The addresses at which it has waited for a permit. */
  granted: ReadonlyArray<string>
}

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

/** A host's line holds as many deliveries as the host takes in this time; more come again later. */
const lineSec = 12
/** Waiting jobs in memory, each with a body of some kB: for hosts, and for addresses. */
const mostWaiting = 5000
/** Jobs of one workspace that wait for addresses. */
const mostWaitingPerOwner = mostWaiting / 10

/** `share` is this worker's part of the rates of hosts. `displaced` receives a job that gave its place in a line up: it is not kept. */
export const makeDeliverySlots = <J extends Job>(
  { concurrency, hostRate, workspacePercent }: DeliveryLimits,
  share: () => number,
  displaced: (job: J) => void
) => {
  const fastSlots = Math.max(1, Math.ceil(concurrency / 2))
  const counts = { fast: makeCounts(), slow: makeCounts() }
  const lanes = makeLanes<J>({
    slots: { fast: fastSlots, slow: Math.max(1, concurrency - fastSlots) },
    ownerPercent: workspacePercent,
    ownerOf: ({ delivery }) => delivery.workspaceId,
    stateOf: (job) => job,
    moved: ({ delivery }) => {
      counts.fast.add(delivery.workspaceId, -1)
      counts.slow.add(delivery.workspaceId, 1)
    }
  })
  // A tenth for each host: one that hangs holds no more slots than this, for all workspaces together.
  const atOnce = Math.max(1, Math.ceil(concurrency / 10))
  const hosts = makeHostLimit<J>({
    perSecond: hostRate,
    share,
    atOnce,
    line: (hostRate === 0 ? atOnce : hostRate) * lineSec,
    room: mostWaiting,
    displaced
  })
  const addresses = makeAddressLimit<J>({
    perSecond: hostRate,
    ownerOf: ({ delivery }) => delivery.workspaceId,
    share,
    room: { total: mostWaiting, perOwner: mostWaitingPerOwner }
  })
  /** Attempts that are not slow yet, oldest first. */
  const young = makeFifo<J>()

  const ownerOf = ({ delivery }: J): WorkspaceId => delivery.workspaceId

  const enqueue = (job: J): void => {
    counts[job.lane].add(ownerOf(job), 1)
    lanes.offer(job, job.lane)
  }

  /** Queues a job. False if too many wait for its host, and no workspace has more of them: nothing is kept. */
  const offer = (job: J, now: number): boolean => {
    const turn = hosts.enter(job.host, ownerOf(job), job, now)
    if (turn === "start") enqueue(job)
    return turn !== "full"
  }

  /** Takes the next job that can start and gives it a slot. */
  const next = (now: number): J | undefined => {
    const job = lanes.next()
    if (job === undefined) return undefined
    job.begun = now
    young.push(job)
    return job
  }

  /** Moves attempts that became slow, and queues the jobs whose hosts have room again. `now` is ms of running time. */
  const tick = (now: number): void => {
    for (let job = young.peek(); job !== undefined && job.begun <= now - slowMs; job = young.peek()) {
      young.shift()
      if (job.stage === "under_way" && job.lane === "fast") lanes.overstay(job)
    }
    for (const job of hosts.advance(now)) enqueue(job)
    for (const { address, item } of addresses.advance(now)) {
      item.granted = [...item.granted, address]
      if (!offer(item, now)) displaced(item)
    }
  }

  /** Frees the slots of a job that started. Returns whether its attempt was slow. */
  const end = (job: J, now: number): boolean => {
    counts[job.lane].add(ownerOf(job), -1)
    lanes.end(job)
    hosts.leave(job.host, ownerOf(job))
    return now - job.begun >= slowMs
  }

  return {
    offer,
    next,
    end,
    tick,
    permitsOf: (job: J, now: () => number): OwnPermits =>
      makePermitsAt(addresses, { owner: ownerOf(job), granted: job.granted, isPaced: false }, now),
    /** Frees the slots of a job that made no connection, until the address gives it a permit. False if there is no room. */
    awaitPermit: (job: J, address: string, now: number): boolean => {
      end(job, now)
      job.stage = "spread"
      return addresses.wait(address, job, now)
    },
    /** How many more jobs of a lane may be claimed. */
    room: lanes.room,
    size: (lane: Lane): number => lanes.slots[lane],
    perWorkspace: (lane: Lane): number => lanes.mostPerOwner[lane],
    /** The workspaces that have as many jobs in a lane as they may hold slots. */
    saturated: (lane: Lane): ReadonlyArray<WorkspaceId> => counts[lane].atLeast(lanes.mostPerOwner[lane]),
    /** The delay before a job that was not kept comes again, ms. */
    postpone: (job: J, now: number): number => hosts.postpone(job.host, ownerOf(job), now)
  }
}
