/** The toolset `essential`: what most agents come for. `search_tools` and `use_tool`, which are listed with it, give the rest. */

export const essential = "essential"

export const essentialTools: ReadonlySet<string> = new Set([
  "whoami",
  "create_service",
  "list_monitors",
  "get_monitor",
  "update_monitor",
  "update_monitors",
  "delete_monitor",
  "run_check",
  "explain_monitor",
  "list_checks",
  "create_mute",
  "create_page",
  "list_pages",
  "create_component",
  "list_incidents",
  "get_incident",
  "create_incident",
  "post_incident_update",
  "resolve_incident",
  "acknowledge_incident",
  "schedule_maintenance",
  "create_channel",
  "test_channel",
  "list_events",
  "create_deploy",
  "wait_for_monitor"
])
