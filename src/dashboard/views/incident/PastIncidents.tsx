/** Past incidents that are like one, for those who work on it: what happened the last times. */
import { Effect } from "effect"
import type { Incident, IncidentSummary } from "../../../../schema/incident/Incident.ts"
import { similarTo } from "../../../domain/incident/SimilarIncidents.ts"
import { inWords, Item, ListPanel } from "../../design/Parts.tsx"
import { Ago } from "../../design/Time.tsx"
import { read, together } from "../../frame/View.ts"
import { Lasted } from "./IncidentsView.tsx"

/** Resolved incidents before this one that are compared: of its monitor, and of the whole workspace. */
const mostOfMonitor = 10
const mostCompared = 50
const mostShown = 5

export const readPast = ({ id, kind, monitorId }: Incident) => {
  const before = (limit: number, of: { readonly monitorId?: string } = {}) =>
    read("list_incidents", { kind: "incident", before: id, limit, ...of })
  return kind === "maintenance"
    ? Effect.succeed<ReadonlyArray<IncidentSummary>>([])
    : Effect.map(
      together([
        monitorId === null ? Effect.succeed({ data: [] }) : before(mostOfMonitor, { monitorId }),
        before(mostCompared)
      ]),
      ([own, all]): ReadonlyArray<IncidentSummary> => [...own.data, ...all.data].filter(({ resolvedAt }) => resolvedAt !== null)
    )
}

export const PastIncidents = ({ of, past }: { readonly of: Incident; readonly past: ReadonlyArray<IncidentSummary> }) => {
  const found = similarTo(of, past, mostShown)
  return found.length === 0 ? null : (
    <ListPanel id="similar" title="Similar past incidents">
      {found.map(({ incident, likeness }) => (
        <Item
          name={incident.title}
          href={`/app/incidents/${incident.id}`}
          note={
            <>
              {inWords(likeness)}, <Ago at={incident.startedAt} />
            </>
          }
        >
          <span class="note">
            lasted <Lasted of={incident} />
          </span>
        </Item>
      ))}
    </ListPanel>
  )
}
