/** The phases of a check one after the other, as bars with their times. */
import type { Timings } from "../../../../schema/check/Check.ts"
import type { Phase } from "../../../../schema/monitor/Explanation.ts"
import { useNumber } from "../../design/Time.tsx"

export const phaseNames: Readonly<Record<Phase, string>> = {
  dns: "DNS",
  connect: "Connect",
  tls: "TLS",
  first_byte: "First byte",
  response: "Response"
}

/** Units of a bar. */
const width = 400

const phasesOf = ({ connectMs, dnsMs, firstByteMs, tlsMs, totalMs }: Timings) => {
  const known: ReadonlyArray<readonly [string, number | null]> = [
    [phaseNames.dns, dnsMs],
    [phaseNames.connect, connectMs],
    [phaseNames.tls, tlsMs],
    [phaseNames.first_byte, firstByteMs]
  ]
  const rest = totalMs - known.reduce((sum, [, ms]) => sum + (ms ?? 0), 0)
  return [...known, ["Rest", rest > 0.05 ? rest : null] as const].flatMap(([name, ms]) => ms === null ? [] : [{ name, ms }])
}

export const Waterfall = ({ timings }: { readonly timings: Timings }) => {
  const { millis } = useNumber()
  const phases = phasesOf(timings)
  const scale = width / Math.max(1, timings.totalMs)
  return (
    <div class="fall">
      {phases.map(({ ms, name }, index) => {
        const before = phases.slice(0, index).reduce((sum, phase) => sum + phase.ms, 0)
        return (
          <>
            <span>{name}</span>
            <svg viewBox={`0 0 ${width} 14`} preserveAspectRatio="none" aria-hidden="true">
              <rect class="rail" x="0" y="0" width={width} height="14" />
              <rect class="bar" x={before * scale} y="1" width={Math.max(1.5, ms * scale)} height="12" />
            </svg>
            <span class="num end">{ms < 10 ? `${Math.round(ms * 10) / 10} ms` : millis(ms)}</span>
          </>
        )
      })}
      <b>Total</b>
      <span />
      <b class="num">{millis(timings.totalMs)}</b>
    </div>
  )
}
