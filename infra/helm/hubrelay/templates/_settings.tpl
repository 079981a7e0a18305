{{- /* By `npm run generate`. */ -}}
{{- define "hubrelay.generalSettings" -}}
HUBRELAY_HUB: in-cluster
HUBRELAY_LOG_LEVEL: info
HUBRELAY_PORT: "8080"
HUBRELAY_PRECACHE_PROFILE: standard
HUBRELAY_INDEX_REPOSITORIES: ""
HUBRELAY_WORKLOAD_IMAGE: ""
{{- end }}
{{- define "hubrelay.settingsInMemory" -}}
HUBRELAY_QUEUE_PORT: "9324"
AWS_REGION: memory
AWS_ENDPOINT_URL: http://127.0.0.1:9324
AWS_ACCESS_KEY_ID: any
AWS_SECRET_ACCESS_KEY: any
HUBRELAY_QUEUE_URLS: '{"hosted-clusters":"http://127.0.0.1:9324/000000000000/hosted-clusters","maintenance-windows":"http://127.0.0.1:9324/000000000000/maintenance-windows","mirror-configs":"http://127.0.0.1:9324/000000000000/mirror-configs","precache-clusters":"http://127.0.0.1:9324/000000000000/precache-clusters","precache-plans":"http://127.0.0.1:9324/000000000000/precache-plans","precache-ready":"http://127.0.0.1:9324/000000000000/precache-ready","precache-feedback":"http://127.0.0.1:9324/000000000000/precache-feedback"}'
HUBRELAY_OUTCOME_SINKS: "{}"
{{- end }}
{{- define "hubrelay.queues" -}}
HOSTED_CLUSTERS_QUEUE_URL: hosted-clusters
MAINTENANCE_WINDOWS_QUEUE_URL: maintenance-windows
MIRROR_CONFIGS_QUEUE_URL: mirror-configs
PRECACHE_CLUSTERS_QUEUE_URL: precache-clusters
PRECACHE_PLANS_QUEUE_URL: precache-plans
PRECACHE_READY_QUEUE_URL: precache-ready
PRECACHE_FEEDBACK_QUEUE_URL: precache-feedback
{{- end }}
{{- define "hubrelay.watchedQueues" -}}
HOSTED_CLUSTERS_QUEUE_URL: hosted-clusters
MAINTENANCE_WINDOWS_QUEUE_URL: maintenance-windows
MIRROR_CONFIGS_QUEUE_URL: mirror-configs
PRECACHE_PLANS_QUEUE_URL: precache-plans
PRECACHE_READY_QUEUE_URL: precache-ready
PRECACHE_FEEDBACK_QUEUE_URL: precache-feedback
{{- end }}
{{- define "hubrelay.allFunctions" -}}
- hosted-clusters
- maintenance-window
- mirror-config
- precache-cluster
- precache-plan
- precache-ready
- precache-status
{{- end }}
