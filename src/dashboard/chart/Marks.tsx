/** The signs of incidents, maintenance and deploys above the chart, which lead to them. Signs that would overlap are one. */
import { isolated } from "../../domain/tools/text/Direction.ts"
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import type { ChartData, Choice, Mark } from "./ChartData.ts"
import { shareOf } from "./ChartScale.ts"

/** The share of the width that a sign takes. */
const apart = 0.035

const nouns = { incident: "Incident", maintenance: "Maintenance", deploy: "Deploy" } as const

/** An exclamation mark, a wrench's bar, and an arrow upwards. */
const glyphs = {
  incident: "M0 -4.5V1M0 4h0",
  maintenance: "M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5",
  deploy: "M0 4V-4M-3.5 -0.5L0 -4L3.5 -0.5"
} as const

/** Marks of the shown part by their position, those close together as one. */
const grouped = (marks: ReadonlyArray<Mark>, choice: Choice): ReadonlyArray<readonly [share: number, marks: Array<Mark>]> => {
  const groups: Array<readonly [number, Array<Mark>]> = []
  for (const mark of [...marks].sort((one, other) => one.from - other.from)) {
    if (mark.to < choice.from || mark.from > choice.to) continue
    const share = Math.max(0.012, Math.min(0.988, shareOf(choice, mark.from)))
    const last = groups.at(-1)
    if (last !== undefined && share - last[0] < apart) last[1].push(mark)
    else groups.push([share, [mark]])
  }
  return groups
}

export const Marks = ({ choice, data }: { readonly choice: Choice; readonly data: ChartData }) => {
  const moments = momentsIn(data.locale, data.zone, "short")
  return (
    <>
      {grouped(data.marks, choice).map(([share, [first, ...others]]) => {
        if (first === undefined) return null
        const all = [first, ...others]
        const kind = all.find((mark) => mark.kind === "incident")?.kind ?? first.kind
        const name = others.length > 0
          ? `${all.length} events from ${moments.format(first.from * 1000)}`
          : `${nouns[first.kind]}: ${isolated(first.name)}, ${moments.format(first.from * 1000)}`
        return (
          <svg x={`${Math.round(share * 1000) / 10}%`} y="12" width="1" height="1" overflow="visible">
            <a href={others.length > 0 ? "#happened" : first.href} aria-label={name} tabindex={-1} class={`sign ${kind}`}>
              <circle r="9.5" />
              {others.length > 0
                ? <text text-anchor="middle" y="4">{all.length}</text>
                : <path d={glyphs[first.kind]} />}
              <title>{all.length > 6 ? name : all.map((mark) => `${nouns[mark.kind]}: ${isolated(mark.name)}`).join("\n")}</title>
            </a>
          </svg>
        )
      })}
    </>
  )
}
