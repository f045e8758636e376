/** Escalation policies of other services, in the shapes that their documentation shows: levels, delays and targets, and what is lost. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { grafanaInventory } from "../../../src/domain/import/oncall/GrafanaSchedules.ts"
import { opsgenieInventory } from "../../../src/domain/import/oncall/OpsgenieSchedules.ts"
import { pagerDutyInventory } from "../../../src/domain/import/oncall/PagerDutySchedules.ts"

const now = DateTime.unsafeMake("2026-11-22T12:00:00Z")
const unused = "It applies to no incident yet: choose its monitors, or make it the default"

/** https://developer.pagerduty.com/api-reference: GET /escalation_policies */
const pagerDuty = {
  schedules: [{
    schedule: {
      id: "PI7DH85",
      name: "Daily Engineering Rotation",
      time_zone: "UTC",
      schedule_layers: [{
        start: "2026-11-01T20:00:00Z",
        end: null,
        rotation_virtual_start: "2026-11-02T09:00:00Z",
        rotation_turn_length_seconds: 604_800,
        users: [{ user: { id: "PEYSGVF", type: "user_reference" } }],
        restrictions: []
      }]
    }
  }, { schedule: { id: "PLOST01", name: "Empty", time_zone: "UTC", schedule_layers: [] } }],
  escalation_policies: {
    escalation_policies: [{
      id: "PANZZEQ",
      type: "escalation_policy",
      summary: "Engineering Escalation Policy",
      name: "Engineering Escalation Policy",
      num_loops: 2,
      on_call_handoff_notifications: "if_has_services",
      escalation_rules: [
        {
          id: "PGHDV41",
          escalation_delay_in_minutes: 30,
          targets: [
            { id: "PEYSGVF", type: "user_reference", summary: "PagerDuty Admin" },
            { id: "PI7DH85", type: "schedule_reference", summary: "Daily Engineering Rotation" }
          ]
        },
        {
          id: "PGHDV42",
          escalation_delay_in_minutes: 10,
          targets: [{ id: "PLOST01", type: "schedule_reference", summary: "Empty" }]
        },
        {
          id: "PGHDV43",
          escalation_delay_in_minutes: 15,
          escalation_rule_assignment_strategy: { type: "round_robin" },
          targets: [
            { id: "PEYSGVF", type: "user_reference", summary: "PagerDuty Admin" },
            { id: "PSTRANG", type: "user_reference", summary: "Somebody" }
          ]
        }
      ],
      services: [{ id: "PIJ90N7", type: "service_reference", summary: "My Web App" }],
      teams: []
    }],
    limit: 25,
    offset: 0,
    more: false
  },
  users: [{ id: "PEYSGVF", name: "PagerDuty Admin", email: "Admin@example.com" }]
}

/** https://docs.opsgenie.com/docs/escalation-api: GET /v2/escalations */
const opsgenie = {
  schedules: [{
    id: "d875e654-9b4e-4219-a803-0c26936d18de",
    name: "ScheduleName",
    timezone: "UTC",
    enabled: true,
    rotations: [{
      name: "First",
      startDate: "2026-11-02T08:00:00Z",
      type: "weekly",
      length: 1,
      participants: [{ type: "user", username: "jo@example.com" }]
    }]
  }],
  escalations: {
    data: [{
      id: "7bdf1a5a-7e2b-4a2b-8b1c-5f6d7e8f9a0b",
      name: "escalationName",
      description: "escalation description",
      ownerTeam: { id: "t1", name: "Platform" },
      rules: [
        {
          condition: "if-not-acked",
          notifyType: "default",
          delay: { timeAmount: 10, timeUnit: "minutes" },
          recipient: { type: "team", id: "t1", name: "Platform" }
        },
        {
          condition: "if-not-acked",
          notifyType: "next",
          delay: { timeAmount: 0, timeUnit: "minutes" },
          recipient: { type: "schedule", id: "d875e654-9b4e-4219-a803-0c26936d18de", name: "ScheduleName" }
        },
        {
          condition: "if-not-closed",
          notifyType: "default",
          delay: { timeAmount: 1, timeUnit: "hours" },
          recipient: { type: "user", id: "u2", username: "Sam@example.com" }
        },
        {
          condition: "if-not-acked",
          notifyType: "default",
          delay: { timeAmount: 60, timeUnit: "minutes" },
          recipient: { type: "user", id: "u1", username: "jo@example.com" }
        }
      ],
      repeat: { waitInterval: 20, count: 7, resetRecipientStates: false, closeAlertAfterAll: true }
    }]
  }
}

/** https://grafana.com/docs/oncall/latest/oncall-api-reference/escalation_policies */
const step = (position: number, type: string, more: object = {}) => ({
  id: `E3GA6SJETWW${position}`,
  escalation_chain_id: "F5JU6KJET33FE",
  position,
  type,
  ...more
})
const grafana = {
  schedules: { results: [] },
  escalation_chains: { results: [{ id: "F5JU6KJET33FE", name: "default", team_id: null }, { id: "FOTHER", name: "other" }] },
  escalation_policies: {
    results: [
      step(1, "wait", { duration: 300 }),
      step(0, "notify_on_call_from_schedule", { notify_on_call_from_schedule: "SBM7DV7BKFUYU", important: true }),
      step(2, "notify_persons", { persons_to_notify: ["U4DNY931HHJS5", "UNKNOWN"] }),
      step(3, "trigger_webhook", { action_to_trigger: "W1" }),
      step(4, "notify_person_next_each_time", { persons_to_notify_next_each_time: ["U6RV9WPSL6DFW"] }),
      step(5, "wait", { duration: 60 }),
      step(6, "repeat_escalation")
    ]
  },
  users: { results: [{ id: "U4DNY931HHJS5", email: "alex@example.com" }, { id: "U6RV9WPSL6DFW", email: "kim@example.com" }] }
}

describe("escalation policies", () => {
  it("of PagerDuty wait at each rule for its delay, and say whom they lose", () => {
    const { policies: [found], warnings } = pagerDutyInventory(pagerDuty, now)
    expect(found).toMatchObject({ ref: "policy:PANZZEQ", name: "Engineering Escalation Policy" })
    expect(found?.entry).toEqual({
      key: "policy",
      name: "Engineering Escalation Policy",
      isDefault: false,
      levels: [
        { afterMinutes: 0, targets: [{ user: "admin@example.com" }, { schedule: "PI7DH85" }] },
        { afterMinutes: 40, targets: [{ user: "admin@example.com" }] }
      ],
      repeat: 2,
      repeatAfterMinutes: 15
    })
    expect(found?.notes).toEqual([
      "Level 2: the schedule Empty is not carried",
      "Level 3: targets take no turns here: all are paged",
      "Level 3: the document has no address of Somebody; add the answer of GET /users",
      "It was of the services My Web App",
      "Level 2 pages nobody here and is left out",
      unused
    ])
    expect(warnings).toHaveLength(1)
  })

  it("of Opsgenie count their delays from the alert, and join rules of one time", () => {
    const { policies: [found] } = opsgenieInventory(opsgenie, now)
    expect(found?.entry).toEqual({
      key: "policy",
      name: "escalationName",
      isDefault: false,
      levels: [
        { afterMinutes: 0, targets: [{ schedule: "d875e654-9b4e-4219-a803-0c26936d18de" }] },
        { afterMinutes: 60, targets: [{ user: "sam@example.com" }, { user: "jo@example.com" }] }
      ],
      repeat: 5,
      repeatAfterMinutes: 20
    })
    expect(found?.notes).toEqual([
      "Level 1: of the schedule, who is on call is paged, not next",
      "Level 2: a team has no like here",
      "Level 3: it pages unless somebody has acknowledged, not until it is closed",
      "Alerts are not closed after the last repetition",
      "It was of the team Platform",
      "Level 2 pages nobody here and is left out",
      "The number of repetitions 7 becomes 5",
      unused
    ])
  })

  it("of Grafana OnCall are the steps of a chain, whose waits part the levels", () => {
    const { policies: [found, none], warnings } = grafanaInventory(grafana, now)
    expect(found?.entry).toEqual({
      key: "policy",
      name: "default",
      isDefault: false,
      levels: [
        { afterMinutes: 0, urgency: "high", targets: [{ schedule: "SBM7DV7BKFUYU" }] },
        { afterMinutes: 5, targets: [{ user: "alex@example.com" }, { user: "kim@example.com" }] }
      ],
      repeat: 5,
      repeatAfterMinutes: 1
    })
    expect(found?.notes).toEqual([
      "Step 3: the document has no address of UNKNOWN; add the answer of GET /users",
      "Step 4: trigger_webhook has no like here",
      "Step 5: people take no turns here: all are paged",
      unused
    ])
    expect(none).toBe(undefined)
    expect(warnings).toEqual(["The escalation policy other is not carried: it has no levels"])
  })
})
