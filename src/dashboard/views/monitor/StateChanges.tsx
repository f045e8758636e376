/** The state changes of a monitor as a table. */
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import { Badge, inWords, type Tone, toneOfMonitor } from "../../design/Parts.tsx"
import { FigureTable, Scroll } from "../../design/Table.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

type Span = MonitorHistory["states"][number]

export const toneOfSpan = (state: Span["state"]): Tone => (state === "unobserved" ? "none" : toneOfMonitor(state))

const listed = 50

export const StateChanges = ({ states }: { readonly states: ReadonlyArray<Span> }) => {
  const { now } = useVisit()
  const { between } = useNumber()
  return (
    <details class="more">
      <summary>State changes as a table</summary>
      <Scroll label="State changes">
        <FigureTable columns={["State", "From", "To", { name: "Lasted", end: true }]}>
          {states.slice(-listed).reverse().map(({ from, state, to }) => (
            <tr>
              <td>
                <Badge tone={toneOfSpan(state)}>{inWords(state)}</Badge>
              </td>
              <td>
                <Moment at={from} />
              </td>
              <td>{to === null ? "now" : <Moment at={to} />}</td>
              <td class="end">{between(from, to ?? now)}</td>
            </tr>
          ))}
        </FigureTable>
      </Scroll>
    </details>
  )
}
