/** All of the store's services over one database. */
import { Layer } from "effect"
import { AccessEnded } from "./AccessEnded.ts"
import { Alarms } from "./Alarms.ts"
import { Assignments } from "./Assignments.ts"
import { AuditLog } from "./AuditLog.ts"
import { Backlog } from "./Backlog.ts"
import { Channels } from "./Channels.ts"
import { CheckPartitions } from "./CheckPartitions.ts"
import { Checks } from "./Checks.ts"
import { Components } from "./Components.ts"
import { ComponentSpans } from "./ComponentSpans.ts"
import { ComponentStates } from "./ComponentStates.ts"
import { DatabaseClock } from "./DatabaseClock.ts"
import { Deliveries } from "./Deliveries.ts"
import { EventLog } from "./EventLog.ts"
import { FanOut } from "./FanOut.ts"
import { Heartbeats } from "./Heartbeats.ts"
import { IdempotentRequests } from "./IdempotentRequests.ts"
import { Incidents } from "./Incidents.ts"
import { Keys } from "./Keys.ts"
import { Listening } from "./Listening.ts"
import { McpSessions } from "./McpSessions.ts"
import { Members } from "./Members.ts"
import { Monitors } from "./Monitors.ts"
import { MonitorStates } from "./MonitorStates.ts"
import { PageIncidents } from "./PageIncidents.ts"
import { Pages } from "./Pages.ts"
import * as People from "./People.ts"
import { PingLog } from "./PingLog.ts"
import { Quotas } from "./Quotas.ts"
import { RateLimits } from "./RateLimits.ts"
import { Regions } from "./Regions.ts"
import { Silence } from "./Silence.ts"
import { Spans } from "./Spans.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { Wakeups } from "./Wakeups.ts"
import { WorkspaceRemoval } from "./WorkspaceRemoval.ts"
import { Workspaces } from "./Workspaces.ts"

export const layer = Layer.mergeAll(
  Assignments.Default,
  AuditLog.Default,
  Backlog.Default,
  Silence.Default,
  IdempotentRequests.Default,
  CheckPartitions.Default,
  Checks.Default,
  Incidents.Default,
  Keys.Default,
  MonitorStates.Default,
  RateLimits.Default,
  Regions.Default,
  Spans.Default,
  Workspaces.Default,
  Channels.Default,
  Monitors.Default,
  Alarms.Default,
  DatabaseClock.Default,
  Listening.Default,
  Heartbeats.Default,
  PingLog.Default,
  Components.Default,
  ComponentSpans.Default,
  ComponentStates.Default,
  Members.Default,
  Quotas.Default,
  Subscriptions.Default,
  WorkspaceRemoval.Default,
  Pages.Default,
  PageIncidents.Default,
  Deliveries.Default,
  FanOut.Default,
  McpSessions.Default,
  People.layer
).pipe(Layer.provideMerge(AccessEnded.Default), Layer.provideMerge(Layer.mergeAll(EventLog.Default, Wakeups.Default)))
