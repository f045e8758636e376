import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { SourceKind } from "../../../schema/upstream/Catalogue.ts"
import { joinParts, type SourcePart } from "../../../src/domain/upstream/Reading.ts"
import { documentsOf } from "../../../src/domain/upstream/Sources.ts"

const now = DateTime.unsafeMake("2026-11-20T12:00:00Z")

/** Reads documents in the order in which the kind asks for them. */
const read = (kind: SourceKind, ...texts: ReadonlyArray<unknown>) =>
  joinParts(
    documentsOf({ kind, url: "https://source.example" }).map((document, index): SourcePart => {
      const text = texts[index]
      const part = document.read(typeof text === "string" ? text : JSON.stringify(text), now)
      if (part === null) throw new Error(`document ${index} is not read`)
      return part
    })
  )

const statuspageIncident = {
  id: "p31zjtct2jer",
  name: "Elevated error rates",
  status: "identified",
  impact: "major",
  shortlink: "https://stspg.io/p31zjtct2jer",
  created_at: "2026-11-20T11:40:00.000Z",
  updated_at: "2026-11-20T11:50:00.000Z",
  resolved_at: null,
  components: [{ id: "c1", name: "API Requests" }],
  incident_updates: [{ body: "We found the cause.", affected_components: [{ name: "Core - API Requests" }] }]
}

describe("a Statuspage page", () => {
  const summary = {
    page: { id: "x", name: "GitHub" },
    status: { indicator: "major", description: "Partial System Outage" },
    components: [
      { id: "g", name: "Core", status: "partial_outage", group: true },
      { id: "c1", name: "API Requests", status: "partial_outage", group_id: "g", group: false },
      { id: "c2", name: "Pages", status: "operational", group: false },
      { id: "c3", name: "Packages", status: "under_maintenance", group: false }
    ],
    incidents: [statuspageIncident],
    scheduled_maintenances: [{
      id: "m",
      name: "Upgrade",
      scheduled_for: "2026-11-21T00:00:00Z",
      created_at: "2026-11-01T00:00:00Z"
    }]
  }

  it("says how each component is, and what its incidents concern", () => {
    const past = { ...statuspageIncident, id: "old", status: "postmortem", created_at: "2026-10-01T00:00:00Z" }
    const window = { ...statuspageIncident, id: "win", scheduled_for: "2026-11-21T00:00:00Z" }
    const reading = read("statuspage", summary, { incidents: [statuspageIncident, past, window] })
    expect(reading.overall).toBe("partial_outage")
    expect(reading.components).toEqual([
      { name: "API Requests", condition: "partial_outage" },
      { name: "Pages", condition: "operational" },
      { name: "Packages", condition: "under_maintenance" }
    ])
    expect(reading.incidents.map(({ components, id, impact, resolvedAt }) => [id, impact, resolvedAt === null, components]))
      .toEqual([
        ["p31zjtct2jer", "partial_outage", true, ["API Requests"]],
        ["old", "partial_outage", false, ["API Requests"]]
      ])
  })

  it("names components whose own names have a dash as the page does, in a group or not", () => {
    const names = ["EU - Frankfurt", "API - v2", "Frankfurt", "Web"]
    const page = {
      ...summary,
      components: names.map((name) => ({ id: name, name, status: "operational", group: false })),
      incidents: [
        { ...statuspageIncident, id: "plain", components: [{ name: "EU - Frankfurt" }], incident_updates: [] },
        {
          ...statuspageIncident,
          id: "grouped",
          components: [],
          incident_updates: [{
            body: "",
            affected_components: [{ name: "Core - Public - API - v2" }, { name: "EU - Frankfurt" }]
          }]
        },
        {
          ...statuspageIncident,
          id: "unknown",
          components: [],
          incident_updates: [{ body: "", affected_components: [{ name: "Core - Jobs - nightly" }] }]
        }
      ]
    }
    const found = Object.fromEntries(
      read("statuspage", page, { incidents: [] }).incidents.map(({ components, id }) => [id, components])
    )
    expect(found).toEqual({
      plain: ["EU - Frankfurt"],
      grouped: ["API - v2", "EU - Frankfurt"],
      unknown: ["Core - Jobs - nightly", "Jobs - nightly", "nightly"]
    })
  })

  it("is not taken for one when it answers something else", () => {
    for (const text of ["<html></html>", "{}", "[]", "null", "{\"error\":\"no\"}"]) {
      expect(documentsOf({ kind: "statuspage", url: "https://s.example" })[0]?.read(text, now)).toBeNull()
    }
  })
})

describe("an Instatus page", () => {
  it("says how each component is and what is wrong", () => {
    const reading = read("instatus", {
      page: { name: "Dub", url: "https://status.dub.co", status: "HASISSUES" },
      activeIncidents: [{
        name: "Slow redirects",
        started: "2026-11-20T11:00:00.000Z",
        status: "INVESTIGATING",
        impact: "MAJOROUTAGE",
        url: "https://status.dub.co/incident/1"
      }]
    }, { components: [{ id: "1", name: "Links", status: "DEGRADEDPERFORMANCE" }] })
    expect(reading).toMatchObject({
      overall: "degraded_performance",
      components: [{ name: "Links", condition: "degraded_performance" }],
      incidents: [{ title: "Slow redirects", impact: "major_outage", resolvedAt: null, id: "https://status.dub.co/incident/1" }]
    })
  })
})

describe("a Status.io page", () => {
  it("is read by its numbers", () => {
    const reading = read("statusio", {
      result: {
        status_overall: { status: "Degraded Performance", status_code: 300 },
        status: [{ name: "API", status_code: 300, containers: [] }, { name: "Git Operations", status_code: 100 }],
        incidents: [{
          _id: "5f",
          name: "Slow API",
          datetime_open: "2026-11-20T10:00:00.000Z",
          components_affected: [{ name: "API" }],
          messages: [
            { details: "Looking", state: 100, status: 500, datetime: "2026-11-20T10:00:00.000Z" },
            { details: "Better", state: 300, status: 300, datetime: "2026-11-20T10:30:00.000Z" }
          ]
        }]
      }
    })
    expect(reading.components.map(({ condition }) => condition)).toEqual(["degraded_performance", "operational"])
    expect(reading.incidents).toMatchObject([
      { id: "5f", status: "monitoring", impact: "major_outage", components: ["API"], text: "Better", resolvedAt: null }
    ])
  })
})

describe("a feed", () => {
  const rss = (...items: ReadonlyArray<string>) =>
    `<?xml version="1.0"?><rss version="2.0"><channel><title>S</title>${items.join("")}</channel></rss>`
  const item = (title: string, text: string, date: string) =>
    `<item><title>${title}</title><guid>${title}</guid><link>https://s.example/${title.length}</link>` +
    `<description><![CDATA[${text}]]></description><pubDate>${date}</pubDate></item>`

  it("has open and ended incidents by the words of its entries", () => {
    const reading = read(
      "rss",
      rss(
        item("Outage of messages", "<p><b>Investigating</b> - Messages are not sent</p>", "Fri, 20 Nov 2026 11:30:00 GMT"),
        item("Slow search", "<p><b>Resolved</b> - This is resolved.</p>", "Fri, 20 Nov 2026 09:00:00 GMT"),
        item("Old trouble", "<p>Investigating</p>", "Mon, 02 Nov 2026 09:00:00 GMT")
      )
    )
    expect(reading.incidents.map(({ impact, resolvedAt, title }) => [title, impact, resolvedAt === null])).toEqual([
      ["Outage of messages", "partial_outage", true],
      ["Slow search", "degraded_performance", false],
      ["Old trouble", "degraded_performance", false]
    ])
    expect(reading.incidents[0]?.text).toBe("Investigating - Messages are not sent")
  })

  it("may be Atom", () => {
    const reading = read(
      "rss",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>S</title><entry><id>tag:1</id><title>Disruption</title>
      <link href="https://s.example/1"/><updated>2026-11-20T11:00:00Z</updated><content type="html">&lt;p&gt;Identified&lt;/p&gt;</content></entry></feed>`
    )
    expect(reading.incidents).toMatchObject([{ id: "tag:1", title: "Disruption", resolvedAt: null }])
  })

  it("of Azure holds only what is wrong now", () => {
    const old = item("Storage - West Europe", "Customers may see errors", "Mon, 02 Nov 2026 09:00:00 GMT")
    expect(read("azure", rss(old)).incidents).toMatchObject([{ resolvedAt: null }])
    expect(read("azure", rss()).incidents).toEqual([])
  })
})

describe("the clouds", () => {
  it("AWS names services and regions", () => {
    const reading = read("aws", [{
      date: "1763637000",
      arn: "arn:aws:health:us-east-1::event/LAMBDA/1",
      region_name: "N. Virginia",
      status: "3",
      service: "lambda-us-east-1",
      service_name: "AWS Lambda",
      summary: "Increased error rates",
      event_log: [{ message: "We are looking into it", status: 3, timestamp: 1_763_637_600 }],
      impacted_services: { "ec2-us-east-1": { service_name: "Amazon Elastic Compute Cloud" } }
    }])
    expect(reading.incidents).toMatchObject([{
      title: "Increased error rates",
      impact: "major_outage",
      resolvedAt: null,
      components: ["AWS Lambda", "N. Virginia", "Amazon Elastic Compute Cloud"],
      text: "We are looking into it"
    }])
    expect(read("aws", []).incidents).toEqual([])
  })

  it("Google Cloud names products, and ends incidents", () => {
    const incident = {
      id: "abc",
      begin: "2026-11-20T10:00:00+00:00",
      modified: "2026-11-20T11:00:00+00:00",
      external_desc: "Cloud Run is slow",
      status_impact: "SERVICE_DISRUPTION",
      most_recent_update: { status: "SERVICE_DISRUPTION", text: "Working on it" },
      affected_products: [{ title: "Google Cloud Run", id: "1" }],
      uri: "incidents/abc"
    }
    const ended = { ...incident, id: "def", begin: "2026-11-19T10:00:00+00:00", end: "2026-11-19T11:00:00+00:00" }
    expect(read("gcp", [incident, ended]).incidents).toMatchObject([
      {
        id: "abc",
        impact: "partial_outage",
        resolvedAt: null,
        components: ["Google Cloud Run"],
        url: "https://status.cloud.google.com/incidents/abc"
      },
      { id: "def", status: "resolved" }
    ])
  })
})
