/**
 * The commands of the program, each declared once: the usage, `--help`, the message about an unknown command and the table in
 * docs/operations.md come from here.
 */

interface CommandText {
  /** The arguments as they are typed, in the notation of usage lines; empty if it takes none. */
  readonly arguments: string
  /** Its purpose, as the rest of a sentence that begins with the command. */
  readonly summary: string
  /** More sentences for `--help`; empty if the summary says all. */
  readonly details: string
  /** The settings that say where it works and on what; `belltower config` shows all that a process reads. */
  readonly settings: ReadonlyArray<string>
}

const ofProcesses = ["DATABASE_URL", "KAFKA_BROKERS", "BELLTOWER_SECRET", "BELLTOWER_URL"]
/** Of commands that work on the database of a server, whether it runs or not. */
const onDatabase = ["DATABASE_URL", "BELLTOWER_DATA_DIR"]
const onSealedDatabase = [...onDatabase, "BELLTOWER_SECRET"]
const ofClients = ["BELLTOWER_URL", "BELLTOWER_API_KEY"]

export const commands = {
  all: {
    arguments: "",
    summary: "runs everything in one process, with a built-in database unless DATABASE_URL is set (the default)",
    details: "",
    settings: ["PORT", "BELLTOWER_DATA_DIR", "BELLTOWER_URL", "DATABASE_URL", "KAFKA_BROKERS", "BELLTOWER_SECRET"]
  },
  api: {
    arguments: "",
    summary: "runs REST, MCP, the live stream, the dashboard and status pages",
    details: "",
    settings: ["PORT", ...ofProcesses]
  },
  runner: {
    arguments: "",
    summary: "runs the actors, check results, alerts and deliveries",
    details: "",
    settings: ["BELLTOWER_RUNNER_HOST", "BELLTOWER_RUNNER_PORT", ...ofProcesses]
  },
  probe: {
    arguments: "",
    summary: "runs the checks of one region; needs no database and no secret, but at its first start a token",
    details: "",
    settings: ["KAFKA_BROKERS", "BELLTOWER_PROBE_TOKEN", "BELLTOWER_URL", "BELLTOWER_DATA_DIR"]
  },
  migrate: { arguments: "", summary: "applies database migrations and exits", details: "", settings: onDatabase },
  database: {
    arguments: "",
    summary: "runs only the built-in PostgreSQL and prints its DATABASE_URL",
    details: "",
    settings: ["BELLTOWER_DATA_DIR"]
  },
  doctor: {
    arguments: "[--role <role>] [--json]",
    summary: "checks whether a process can run here: settings, clock, database, Kafka, mail, ports, DNS, disk, isolation",
    details:
      "Says of each check what it found and what to do, with the settings of the process, whether it runs or not. Changes " +
      "nothing, sends nothing and shows no secrets. Each check has 5 seconds. The role is all, api, runner or probe; all by " +
      "default. Ends with 0 if all is well, 1 if a check failed, and 2 if there are only warnings. --json prints one " +
      "JSON object.",
    settings: ofProcesses
  },
  config: {
    arguments: "[--role <role>] [--json]",
    summary: "prints the settings that a process would read, with their sources, and everything that is wrong with them",
    details: "A source is the default, the environment, a file or a command. Secrets are shown as (hidden). Ends with 1 if a " +
      "setting is invalid or missing. --json prints one JSON object.",
    settings: []
  },
  "sign-in-link": {
    arguments: "<email or account id> [--operator]",
    summary: "prints a one-time sign-in link for a person",
    details: "The link is valid for 15 minutes. With --operator, the session that it starts is the operator's, who sets the " +
      "mail server in the dashboard.",
    settings: [...onSealedDatabase, "BELLTOWER_URL"]
  },
  invite: {
    arguments: "[--uses <1 to 1000>] [--days <1 to 365>] | --end <code>",
    summary: "prints an invitation to create a workspace, or ends one",
    details: "By default for one workspace and for 7 days.",
    settings: [...onDatabase, "BELLTOWER_URL", "BELLTOWER_REGISTRATION"]
  },
  "remove-region": {
    arguments: "<region> [--move-to <region>]",
    summary: "removes a region whose probes are gone for good",
    details: "Monitors that name it move to the other region.",
    settings: onDatabase
  },
  "probe-token": {
    arguments: "<region> [--uses <1 to 1000>] [--days <1 to 365>]",
    summary: "prints a token with which probes of a region enrol",
    details: "It is the BELLTOWER_PROBE_TOKEN of a probe; by default once and within a day.",
    settings: onSealedDatabase
  },
  probes: {
    arguments: "",
    summary: "lists the probes: id, region, state, when each was last seen, version",
    details: "",
    settings: onDatabase
  },
  "revoke-probe": {
    arguments: "<id>",
    summary: "ends the identity of a probe: its results are refused from now on, and its region gets another key",
    details: "",
    settings: onDatabase
  },
  "kafka-setup": {
    arguments: "[--region <region>[=<principal>]]... [--servers <principal>] [--new-passwords] [--print]",
    summary: "makes the topics, users and access rules at the brokers",
    details:
      "With the KAFKA_* settings of an administrator, it makes the topics, a user for the servers and one for the probes " +
      "of each region, and their access; prints the users' passwords once. --print only shows topics and access. Where users are " +
      "certificates, name the principals: --servers <principal>, --region <region>=<principal>.",
    settings: ["KAFKA_BROKERS", "KAFKA_TOPIC_PREFIX", "KAFKA_SASL_MECHANISM", "KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"]
  },
  "rotate-secret": {
    arguments: "",
    summary: "seals everything with BELLTOWER_SECRET that BELLTOWER_SECRET_PREVIOUS has sealed",
    details:
      "Processes may run, with both. Without these settings, it replaces the secret in the data folder of a server that is " +
      "stopped.",
    settings: [...onSealedDatabase, "BELLTOWER_SECRET_PREVIOUS"]
  },
  backup: {
    arguments: "<file> [--plain]",
    summary: "writes everything that the database holds to an encrypted file, while processes run",
    details: "BELLTOWER_BACKUP_KEY encrypts the file; --plain writes it without encryption.",
    settings: [...onDatabase, "BELLTOWER_BACKUP_KEY"]
  },
  restore: {
    arguments: "<file> [--verify] [--into <url>] [--replace] [--plain] [--still] [--new-kafka] | --recovered",
    summary: "fills an empty database with a backup, or only verifies the backup",
    details:
      "--verify only reads the file and compares counts and checksums. --replace removes what the database holds. --still: no " +
      "process has run since the backup, so what is due is sent. --new-kafka: the brokers are new, too. --recovered, after the " +
      "database was recovered by other means: keeps back what was due in between, and says what is lost. All people are " +
      "signed out. Leave passwords out of <url>: PGPASSWORD gives it.",
    settings: [...onDatabase, "BELLTOWER_BACKUP_KEY"]
  },
  "move-database": {
    arguments: "--to <url or embedded> [--replace] [--new-kafka]",
    summary: "copies the database, which no process uses, to another server",
    details:
      "The former database is set aside: processes refuse to start on it. Leave passwords out of <url>: PGPASSWORD gives it.",
    settings: onDatabase
  },
  apply: {
    arguments: "<file> [--check] [--prune]",
    summary: "brings a workspace to what a YAML or JSON file says",
    details: "Calls the server at BELLTOWER_URL. --check only shows the differences and ends with 2 if there are any; --prune " +
      "deletes what an earlier apply made and the file no longer lists.",
    settings: ofClients
  },
  export: {
    arguments: "",
    summary: "prints a workspace as a YAML file, as apply reads it",
    details: "Calls the server at BELLTOWER_URL.",
    settings: ofClients
  }
} as const satisfies Readonly<Record<string, CommandText>>

export type CommandName = keyof typeof commands

export const isCommand = (word: string): word is CommandName => Object.hasOwn(commands, word)

/** The variables that commands read beside the settings of processes. */
export const variablesOfCommands: ReadonlyArray<string> = ["BELLTOWER_API_KEY"]
