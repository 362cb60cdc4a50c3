// SPDX-License-Identifier: Apache-2.0
#include "kube/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>

#include "kube/process_metrics.h"

namespace kube {
namespace {

class Registry final : public MetricsRegistry {
 public:
  void Count(const std::string& name, const std::string& help, const MetricLabels& labels,
             double increment) override {
    FamilyOf<prometheus::Counter>(
        counters_, name,
        [&] { return &prometheus::BuildCounter().Name(name).Help(help).Register(registry_); })
        .Add(labels)
        .Increment(increment);
  }

  void Set(const std::string& name, const std::string& help, const MetricLabels& labels,
           double value) override {
    FamilyOf<prometheus::Gauge>(
        gauges_, name,
        [&] { return &prometheus::BuildGauge().Name(name).Help(help).Register(registry_); })
        .Add(labels)
        .Set(value);
  }

  void Observe(const std::string& name, const std::string& help, const MetricLabels& labels,
               double value, const std::vector<double>& buckets) override {
    FamilyOf<prometheus::Histogram>(
        histograms_, name,
        [&] { return &prometheus::BuildHistogram().Name(name).Help(help).Register(registry_); })
        .Add(labels, buckets)
        .Observe(value);
  }

  std::string Render() const override {
    return prometheus::TextSerializer().Serialize(registry_.Collect()) + ProcessMetrics();
  }

 private:
  template <typename Metric>
  using Families = std::map<std::string, prometheus::Family<Metric>*>;

  template <typename Metric, typename Make>
  prometheus::Family<Metric>& FamilyOf(Families<Metric>& families, const std::string& name,
                                       Make make) {
    const std::lock_guard lock(mutex_);
    prometheus::Family<Metric>*& family = families[name];
    if (family == nullptr) family = make();
    return *family;
  }

  prometheus::Registry registry_;
  std::mutex mutex_;
  Families<prometheus::Counter> counters_;
  Families<prometheus::Gauge> gauges_;
  Families<prometheus::Histogram> histograms_;
};

}  // namespace

std::unique_ptr<MetricsRegistry> NewMetricsRegistry() { return std::make_unique<Registry>(); }

}  // namespace kube
