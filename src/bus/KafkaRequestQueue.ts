/** Mends the request queue of kafkajs 2.2.4, which wakes the process about 1,000 times a second for each idle connection. */
import RequestQueue from "kafkajs/src/network/requestQueue/index.js"

/** How often requests without an answer are looked for, ms. kafkajs would look every 100 ms; the limits are 10 s. */
const timeoutCheckEvery = 2_500

const { scheduleCheckPendingRequests } = RequestQueue.prototype

/**
 * Each check of the pending requests schedules the next one; without a throttle its delay is negative, which is 1 ms. A check
 * is needed only while requests are pending: a new one that must wait schedules its own.
 */
RequestQueue.prototype.scheduleCheckPendingRequests = function(this: RequestQueue) {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}

/** The queues of all connections share a timer, because each timer wakes an idle process. */
const watched = new Set<RequestQueue>()
let timer: NodeJS.Timeout | undefined

const unwatch = (queue: RequestQueue): void => {
  watched.delete(queue)
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

const lookForTimeouts = (): void => {
  for (const queue of watched) {
    for (const request of queue.inflight.values()) {
      if (performance.timeOrigin + performance.now() - request.sentAt > request.requestTimeout) request.timeoutRequest()
    }
    if (!queue.isConnected()) unwatch(queue)
  }
}

RequestQueue.prototype.scheduleRequestTimeoutCheck = function(this: RequestQueue) {
  if (!this.enforceRequestTimeout) return
  watched.add(this)
  // eslint-disable-next-line no-restricted-syntax -- kafkajs has no fiber that could sleep.
  timer ??= setInterval(lookForTimeouts, timeoutCheckEvery)
}

const { destroy } = RequestQueue.prototype

RequestQueue.prototype.destroy = function(this: RequestQueue) {
  unwatch(this)
  destroy.call(this)
}
