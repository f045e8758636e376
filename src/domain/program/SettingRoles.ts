/** Which settings a process of a role leaves unread. A new setting counts as read by all, until a line here says otherwise. */
import type { Role } from "./RoleOptions.ts"

/** Beginnings of names. A probe has neither a database nor the secret, and serves nothing but its health. */
const ofServers = [
  "BELLTOWER_AI_",
  "BELLTOWER_ALLOWED_HOSTS",
  "BELLTOWER_BETTERSTACK_URL",
  "BELLTOWER_BOOTSTRAPS_AN_HOUR",
  "BELLTOWER_CAPS",
  "BELLTOWER_CHECKS_PER_WORKSPACE",
  "BELLTOWER_CLUSTER_",
  "BELLTOWER_DELIVERY_",
  "BELLTOWER_DISCORD_URL",
  "BELLTOWER_DOMAIN_TARGET",
  "BELLTOWER_EVIDENCE_MB_A_DAY",
  "BELLTOWER_GITHUB_",
  "BELLTOWER_GOOGLE_",
  "BELLTOWER_HEALTHCHECKS_URL",
  "BELLTOWER_KEEP_",
  "BELLTOWER_MAIL_FROM",
  "BELLTOWER_METRICS_PORT",
  "BELLTOWER_MIGRATE",
  "BELLTOWER_NTFY_URL",
  "BELLTOWER_OPSGENIE_URL",
  "BELLTOWER_PAGERDUTY_URL",
  "BELLTOWER_PHONE_",
  "BELLTOWER_PING_SMTP",
  "BELLTOWER_REGISTRATION",
  "BELLTOWER_RESERVED_DOMAINS",
  "BELLTOWER_RUNNER_",
  "BELLTOWER_SECRET",
  "BELLTOWER_SHARD_LOCK_SEC",
  "BELLTOWER_SLACK_URL",
  "BELLTOWER_STATUSPAGE_URL",
  "BELLTOWER_STREAMS_",
  "BELLTOWER_TELEGRAM_URL",
  "BELLTOWER_TRUST_PROXY",
  "BELLTOWER_TWILIO_",
  "BELLTOWER_UPSTREAM_",
  "BELLTOWER_UPTIMEROBOT_",
  "BELLTOWER_WAITING_RESULTS",
  "DATABASE_",
  "KAFKA_CREATE_TOPICS",
  "KAFKA_PARTITIONS",
  "KAFKA_REPLICATION",
  "POD_IP",
  "SMTP_URL",
  "STRIPE_"
]

const ofChecks = ["BELLTOWER_CANARIES", "BELLTOWER_CHROMIUM", "BELLTOWER_ISOLATION", "BELLTOWER_PROBE_", "BELLTOWER_RDAP_URL"]
const ofRunners = ["BELLTOWER_RUNNER_HOST", "BELLTOWER_RUNNER_PORT", "BELLTOWER_WAITING_RESULTS", "POD_IP"]
const ofInterface = ["BELLTOWER_PING_SMTP", "BELLTOWER_STREAMS_", "BELLTOWER_TRUST_PROXY"]

const unreadBy = {
  all: ["BELLTOWER_PROBE_TOKEN"],
  api: [...ofChecks, ...ofRunners, "BELLTOWER_UPLINK_CHECK"],
  runner: [...ofChecks, ...ofInterface, "BELLTOWER_UPLINK_CHECK"],
  probe: ofServers
} satisfies Readonly<Record<Role, ReadonlyArray<string>>>

/** All beginnings of names, for the test that they begin some. */
export const unreadBeginnings: ReadonlyArray<string> = [...new Set(Object.values(unreadBy).flat())]

export const isReadBy = (role: Role, name: string): boolean => !unreadBy[role].some((beginning) => name.startsWith(beginning))
