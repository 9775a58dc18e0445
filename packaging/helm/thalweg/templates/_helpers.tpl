{{- define "thalweg.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "thalweg.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "thalweg.labels" -}}
{{ include "thalweg.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "thalweg.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "thalweg.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Mistakes that Kubernetes would accept. */}}
{{- define "thalweg.check" -}}
{{- if not (has .Values.command (list "serve" "gateway" "demo")) -}}
{{- fail (printf "command: %q is none of serve, gateway, demo" .Values.command) -}}
{{- end -}}
{{- if and .Values.persistence.enabled (or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1)) -}}
{{- fail "persistence: an SQLite file belongs to one process: set replicaCount to 1 and autoscaling.enabled to false" -}}
{{- end -}}
{{- if and .Values.source.value .Values.source.existingSecret -}}
{{- fail "source: give value or existingSecret, not both" -}}
{{- end -}}
{{- end -}}
