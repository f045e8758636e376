/** The notifications that wait to be sent, without repeats and bounded in bytes. */

export interface WaitingSignal {
  readonly signal: string
  readonly payload: string
}

export interface SignalBuffer {
  readonly add: (signal: string, payload: string) => void
  /** Empties the buffer. Signals come in the order of their first payload. */
  readonly takeAll: () => ReadonlyArray<WaitingSignal>
  readonly size: () => number
}

/** Per signal. Live frames of checks, the longest payloads, have about 1,000 bytes. */
const maxLength = 1 << 20

/**
 * Payloads of one signal that together exceed 1 MiB are replaced by one empty payload, which means that some may have been
 * missed. Until the buffer is emptied, that payload stands for all later ones.
 */
export const makeSignalBuffer = (): SignalBuffer => {
  const waiting = new Map<string, { payloads: Set<string>; length: number }>()
  return {
    add: (signal, payload) => {
      const entry = waiting.get(signal) ?? { payloads: new Set<string>(), length: 0 }
      waiting.set(signal, entry)
      if (entry.length > maxLength || entry.payloads.has(payload)) return
      entry.length += payload.length
      if (entry.length > maxLength) entry.payloads = new Set([""])
      else entry.payloads.add(payload)
    },
    takeAll: () => {
      const taken = [...waiting].flatMap(([signal, { payloads }]) => [...payloads].map((payload) => ({ signal, payload })))
      waiting.clear()
      return taken
    },
    size: () => waiting.size
  }
}
