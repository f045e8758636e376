/** A policy whose levels page one person each, and an incident that it pages about. */
import { Effect } from "effect"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"

export const policy = (workspaceId: WorkspaceId, ...levels: ReadonlyArray<{ readonly id: UserId }>) =>
  Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      levels: levels.map(({ id }) => ({ afterMinutes: 30, targets: [{ type: "user" as const, id }] }))
    }))

export const open = (workspaceId: WorkspaceId) =>
  Effect.flatMap(
    OpenIncident,
    ({ create }) => create(workspaceId, { title: "Slow checkout", message: "We look into it.", impact: "critical" })
  )
