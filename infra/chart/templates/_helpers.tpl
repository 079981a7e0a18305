{{- define "hubrelay.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- /* Templates below are included with a list: the context first. */ -}}
{{- define "hubrelay.pod" -}}
{{- with (index . 0).Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with (index . 0).Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "hubrelay.resources" -}}
{{- $own := index (index . 0).Values.resources (index . 1) | default dict -}}
resources:
  {{- mergeOverwrite (fromJson (index . 2)) (deepCopy $own) | toYaml | nindent 2 }}
{{- end }}

{{- define "hubrelay.account" -}}
{{- $values := (index . 0).Values -}}
{{- $name := index . 1 -}}
{{- $annotations := deepCopy (index $values.accounts.annotations $name | default dict) -}}
{{- if and (eq $name "hubrelay-console") $values.console.enabled -}}
{{- $reference := `{"kind":"OAuthRedirectReference","apiVersion":"v1","reference":{"kind":"Route","name":"hubrelay-console"}}` -}}
{{- $_ := set $annotations "serviceaccounts.openshift.io/oauth-redirectreference.console" $reference -}}
{{- end -}}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "hubrelay.functionArgs" -}}
{{- $functions := (index . 0).Values.functions -}}
{{- if lt (len $functions) (include "hubrelay.allFunctions" . | fromYamlArray | len) }}
{{- range $functions }}
- --function
- {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "hubrelay.accountNames" -}}
{{- range (index . 0).Values.functions }}
- hubrelay-{{ . }}
{{- end }}
{{- end }}

{{- define "hubrelay.env" -}}
{{- if (index . 0).Values.trustedCA }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/hubrelay/ca/ca-bundle.crt
{{- end }}
{{- end }}

{{- define "hubrelay.volumeMounts" -}}
{{- if (index . 0).Values.trustedCA }}
- name: trusted-ca
  mountPath: /etc/hubrelay/ca
  readOnly: true
{{- end }}
{{- end }}

{{- define "hubrelay.volumes" -}}
{{- if (index . 0).Values.trustedCA }}
- name: trusted-ca
  configMap:
    name: hubrelay-trusted-ca
    optional: true
{{- end }}
{{- end }}

{{- define "hubrelay.envFrom" -}}
{{- $values := (index . 0).Values -}}
{{- if and $values.queues.keysSecret (ne $values.engine "run") }}
- secretRef:
    name: {{ $values.queues.keysSecret }}
{{- end }}
{{- end }}

{{- define "hubrelay.queueServer" -}}
{{- $values := (index . 0).Values }}
awsRegion: {{ $values.queues.region | quote }}
{{- with index $values.settings "AWS_ENDPOINT_URL" }}
awsEndpoint: {{ . | quote }}
{{- end }}
{{- end }}

{{- /* The data of the ConfigMap of settings. */ -}}
{{- define "hubrelay.settings" -}}
{{- $settings := include "hubrelay.generalSettings" . | fromYaml -}}
{{- if eq .Values.engine "run" -}}
{{- $settings = mergeOverwrite $settings (include "hubrelay.settingsInMemory" . | fromYaml) -}}
{{- else -}}
{{- $prefix := required "queues.prefix: what the URL of each queue has before its name, such as https://sqs.eu-central-1.amazonaws.com/123456789012/hubrelay-prod-" .Values.queues.prefix -}}
{{- $queues := eq .Values.engine "queues" | ternary "hubrelay.queues" "hubrelay.watchedQueues" -}}
{{- range $name, $queue := include $queues . | fromYaml -}}
{{- $_ := set $settings $name (print $prefix $queue) -}}
{{- end -}}
{{- with .Values.queues.region }}{{ $_ := set $settings "AWS_REGION" . }}{{ end -}}
{{- end -}}
{{- with .Values.proxy.url -}}
{{- $_ := set $settings "HTTPS_PROXY" . -}}
{{- $_ := set $settings "NO_PROXY" $.Values.proxy.noProxy -}}
{{- end -}}
{{- $hubId := required "hubId: the source of events and outcomes, such as your hub's API URL" .Values.hubId -}}
{{- mergeOverwrite $settings (dict "HUBRELAY_HUB_ID" $hubId) .Values.settings | toYaml -}}
{{- end }}
