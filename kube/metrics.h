// SPDX-License-Identifier: Apache-2.0
// Metrics of a process, over prometheus-cpp. Names follow client-go and controller-runtime.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kube {

using MetricLabels = std::map<std::string, std::string>;

// Thread-safe. Asking again for the same name and labels gives the same series.
class MetricsRegistry {
 public:
  virtual ~MetricsRegistry() = default;
  virtual void Count(const std::string& name, const std::string& help, const MetricLabels& labels,
                     double increment = 1) = 0;
  virtual void Set(const std::string& name, const std::string& help, const MetricLabels& labels,
                   double value) = 0;
  // Histogram with the given upper bounds (seconds, bytes, ... as the name says).
  virtual void Observe(const std::string& name, const std::string& help, const MetricLabels& labels,
                       double value, const std::vector<double>& buckets) = 0;
  // Prometheus' text format.
  virtual std::string Render() const = 0;
};

std::unique_ptr<MetricsRegistry> NewMetricsRegistry();

}  // namespace kube
