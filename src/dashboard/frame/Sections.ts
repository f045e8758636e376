/** The sections of the dashboard, as the navigation and the command palette list them. */
import type { IconName } from "../design/Icons.tsx"

type Entries = ReadonlyArray<readonly [section: IconName, path: `/app${string}`, name: string, call?: "list_audit_log"]>

export const navigation = [
  [null, [
    ["overview", "/app", "Overview"],
    ["monitors", "/app/monitors", "Monitors"],
    ["incidents", "/app/incidents", "Incidents"],
    ["maintenance", "/app/maintenance", "Maintenance"],
    ["pages", "/app/pages", "Status pages"],
    ["upstreams", "/app/upstreams", "Third parties"]
  ]],
  ["Alerts", [
    ["channels", "/app/channels", "Channels"],
    ["deliveries", "/app/deliveries", "Deliveries"],
    ["escalation", "/app/escalation", "Escalation"],
    ["on-call", "/app/on-call", "On call"]
  ]]
] as const satisfies ReadonlyArray<readonly [heading: string | null, entries: Entries]>

/** The views of the workspace itself: one entry of the navigation, and tabs above each of them. */
export const settings = [
  ["members", "/app/members", "Members"],
  ["keys", "/app/keys", "API keys"],
  ["apps", "/app/apps", "Connected apps"],
  ["audit", "/app/audit", "Audit log", "list_audit_log"],
  ["usage", "/app/usage", "Usage"],
  ["providers", "/app/providers", "Providers"],
  ["import", "/app/import", "Import"],
  ["plan", "/app/plan", "Configuration"],
  ["digest", "/app/workspace-digest", "Weekly digest"]
] as const satisfies Entries

/** The views about oneself. */
export const account = [
  ["/app/contact", "Contact"],
  ["/app/workspaces", "Workspaces"],
  ["/app/digest", "Digest emails"],
  ["/app/security", "Security"],
  ["/app/mail", "Mail"]
] as const

/** The actions that have a view of their own, or a part of one, and the operation that each needs. */
export const actions = [
  ["/app/monitors/new", "New monitor", "create_monitor"],
  ["/app/incidents/new", "New incident", "create_incident"],
  ["/app/deploys#record", "Record a deploy", "create_deploy"],
  ["/app/maintenance/new", "Schedule maintenance", "schedule_maintenance"],
  ["/app/maintenance#new-mute", "Mute monitors", "create_mute"],
  ["/app/pages/new", "New status page", "create_page"],
  ["/app/channels/new", "New channel", "create_channel"],
  ["/app/on-call/new", "New schedule", "create_oncall_schedule"],
  ["/app/escalation/new", "New escalation policy", "create_escalation_policy"],
  ["/app/members#invite", "Invite a member", "invite_member"],
  ["/app/keys#new-key", "New API key", "create_api_key"],
  ["/app/import", "Import from another service", "start_import"]
] as const

/** The operations that scripts offer only to people whose role allows them. */
export const offered = [...actions.map(([, , call]) => call), "list_audit_log", "update_monitor", "run_check"] as const

export type Section = typeof navigation[number][1][number][0] | typeof settings[number][0] | "account"

export const isSettings = (section: Section): boolean => settings.some(([one]) => one === section)
