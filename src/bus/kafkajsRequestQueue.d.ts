/** Types of a module inside kafkajs, which has none: what `KafkaRequestQueue.ts` and its test use. */
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    constructor(options: {
      readonly maxInFlightRequests: number | null
      readonly requestTimeout: number
      readonly enforceRequestTimeout: boolean
      readonly clientId: string
      readonly broker: string
      readonly logger: { readonly debug: () => void; readonly warn: () => void }
      readonly isConnected?: () => boolean
    })
    readonly pending: ReadonlyArray<unknown>
    readonly inflight: ReadonlyMap<number, {
      /** ms since 1970. */
      readonly sentAt: number
      readonly requestTimeout: number
      readonly timeoutRequest: () => void
    }>
    readonly enforceRequestTimeout: boolean
    readonly isConnected: () => boolean
    readonly throttleCheckTimeoutId: NodeJS.Timeout | null
    push(request: {
      readonly entry: { readonly correlationId: number; readonly resolve: () => void; readonly reject: () => void }
      readonly expectResponse: boolean
      readonly sendRequest: () => void
    }): void
    fulfillRequest(response: { readonly correlationId: number; readonly payload: null; readonly size: number }): void
    maybeThrottle(ms: number): void
    scheduleCheckPendingRequests(): void
    scheduleRequestTimeoutCheck(): void
    destroy(): void
  }
}
