/**
 * The schema of the first release. Each file lists the statements for the tables of a noun, and follows those that its tables
 * refer to.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import access from "./0001_initial/access.ts"
import ai from "./0001_initial/ai.ts"
import billing from "./0001_initial/billing.ts"
import channels from "./0001_initial/channels.ts"
import checks from "./0001_initial/checks.ts"
import cluster from "./0001_initial/cluster.ts"
import components from "./0001_initial/components.ts"
import deliveries from "./0001_initial/deliveries.ts"
import deploys from "./0001_initial/deploys.ts"
import digests from "./0001_initial/digests.ts"
import drills from "./0001_initial/drills.ts"
import escalation from "./0001_initial/escalation.ts"
import events from "./0001_initial/events.ts"
import heartbeats from "./0001_initial/heartbeats.ts"
import history from "./0001_initial/history.ts"
import imports from "./0001_initial/imports.ts"
import incidents from "./0001_initial/incidents.ts"
import mail from "./0001_initial/mail.ts"
import maintenance from "./0001_initial/maintenance.ts"
import monitors from "./0001_initial/monitors.ts"
import oncall from "./0001_initial/oncall.ts"
import pages from "./0001_initial/pages.ts"
import people from "./0001_initial/people.ts"
import plans from "./0001_initial/plans.ts"
import streams from "./0001_initial/streams.ts"
import subscribers from "./0001_initial/subscribers.ts"
import upstreams from "./0001_initial/upstreams.ts"
import waitingAlerts from "./0001_initial/waitingAlerts.ts"
import workspaces from "./0001_initial/workspaces.ts"

const statements = [
  ...workspaces,
  ...people,
  ...access,
  ...monitors,
  ...heartbeats,
  ...checks,
  ...history,
  ...incidents,
  ...maintenance,
  ...escalation,
  ...oncall,
  ...pages,
  ...components,
  ...subscribers,
  ...events,
  ...streams,
  ...channels,
  ...waitingAlerts,
  ...deliveries,
  ...mail,
  ...digests,
  ...drills,
  ...deploys,
  ...plans,
  ...imports,
  ...upstreams,
  ...ai,
  ...billing,
  ...cluster
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
